/**
 * Inside of a sandbox whose network is its provider: listens on loopback and passes on to the proxy's socket. What is
 * said to the first port is for the proxy itself; each further word is HOST:PORT of this machine that is allowed, and is
 * reached at its own port as if it were there. Closes its output once it listens, which is what its starter waits for.
 * It imports nothing of Holdfast, since it is shown alone.
 */
import { closeSync, openSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const [socket = "", ...ports] = process.argv.slice(2);
const ANSWER_BYTES_MAX = 16_384;
const WAIT_LIMIT_MS = 20_000;
const WAIT_EACH_MS = 20;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const) process.on(signal, () => undefined);

function serve(peer: Socket, target: string | null): void {
  const proxy = connect(socket);
  const end = (): void => {
    peer.destroy();
    proxy.destroy();
  };
  for (const one of [peer, proxy]) one.on("error", end).once("close", end);
  if (target === null) return void peer.pipe(proxy).pipe(peer);
  proxy.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  let answer = Buffer.alloc(0);
  const receive = (bytes: Buffer): void => {
    answer = Buffer.concat([answer, bytes]);
    const at = answer.indexOf("\r\n\r\n");
    if (at < 0 && answer.length < ANSWER_BYTES_MAX) return;
    if (!answer.toString("latin1", 0, 13).endsWith(" 200 ")) return end();
    proxy.off("data", receive);
    peer.write(answer.subarray(at + 4));
    peer.pipe(proxy).pipe(peer);
  };
  proxy.on("data", receive);
}

const listen = (port: number, host: string, target: string | null): Promise<void> =>
  new Promise((resolve) => {
    createServer((peer) => {
      serve(peer, target);
    })
      // The second address of loopback may not be there.
      .once("error", () => {
        resolve();
      })
      .listen(port, host, resolve);
  });

/** The proxy is started at the same time. */
async function proxyThere(): Promise<void> {
  for (let waitedMs = 0; waitedMs < WAIT_LIMIT_MS; waitedMs += WAIT_EACH_MS) {
    const isThere = await new Promise<boolean>((resolve) => {
      const tried = connect(socket, () => {
        tried.destroy();
        resolve(true);
      }).once("error", () => {
        resolve(false);
      });
    });
    if (isThere) return;
    await delay(WAIT_EACH_MS);
  }
}

await proxyThere();
await Promise.all(
  ports.flatMap((word, at) => {
    const port = Number(word.slice(word.lastIndexOf(":") + 1));
    return ["127.0.0.1", "::1"].map((host) => listen(port, host, at === 0 ? null : word));
  }),
);
closeSync(1);
// The lowest number is given out next, and no socket may have it.
openSync("/dev/null", "w");
