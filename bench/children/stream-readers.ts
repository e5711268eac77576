// Readers of the stream in a process of their own: `stream-readers.ts URL TOKEN COUNT STOPPED`. Of STOPPED of them what
// comes is never read. A line on stdin asks for what was seen since the last one: `{"events","medianMs","p95Ms"}`.
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";

const [url = "", token = "", count = "0", stopped = "0"] = process.argv.slice(2);
const { hostname, port, host } = new URL(url);
let delays: number[] = [];
let live = 0;

function open(nth: number): Socket {
  const isStopped = nth < Number(stopped);
  const socket = connect(Number(port), hostname);
  const from = isStopped ? "start" : "now";
  socket.write(
    `GET /api/v1/stream?from=${from} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  socket.on("error", () => undefined);
  if (isStopped) {
    live += 1;
    return socket.pause();
  }
  let isLive = false;
  socket.setEncoding("latin1").on("data", (text: string) => {
    if (!isLive && text.includes("event: ready")) {
      isLive = true;
      live += 1;
      if (live === Number(count)) process.stdout.write("ready\n");
    }
    const now = Date.now();
    for (const [, at] of text.matchAll(/"at":(\d{13}),"type"/g)) delays.push(now - Number(at));
  });
  return socket;
}

for (let nth = 0; nth < Number(count); nth += 1) open(nth);
if (Number(count) === Number(stopped)) process.stdout.write("ready\n");
createInterface({ input: process.stdin })
  .on("line", () => {
    const sorted = delays.sort((a, b) => a - b);
    delays = [];
    const part = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
    process.stdout.write(
      `${JSON.stringify({ events: sorted.length, medianMs: part(0.5), p95Ms: part(0.95) })}\n`,
    );
  })
  .on("close", () => process.exit(0));
