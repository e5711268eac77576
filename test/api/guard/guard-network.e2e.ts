import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { get, type RequestOptions } from "node:https";
import path from "node:path";
import { ApiBench } from "../api-bench.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(1);

/** Who reaches a server from elsewhere: by TLS, behind a proxy, and as another user of the machine. */
const benches: ApiBench[] = [];
const newBench = (): ApiBench => {
  const bench = new ApiBench();
  benches.push(bench);
  return bench;
};
after(async () => {
  for (const bench of benches) await bench.close();
});

const tls = newBench();
const cert = path.join(tls.cli.root, "cert.pem");
const key = path.join(tls.cli.root, "key.pem");
const NAME = "holdfast.example.com";
before(() => {
  const made = spawnSync(
    "openssl",
    [
      ...[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "1",
      ],
      ...["-subj", `/CN=${NAME}`, "-addext", `subjectAltName=DNS:${NAME},DNS:*.wild.test,IP:127.0.0.1`],
      ...["-keyout", key, "-out", cert],
    ],
    { encoding: "utf8" },
  );
  assert.equal(made.status, 0, made.stderr);
});

interface Got {
  readonly status: number;
  readonly body: string;
  readonly cookies: readonly string[];
}

const getOver = (port: number, target: string, options: RequestOptions): Promise<Got> =>
  new Promise((resolve, reject) => {
    get(
      { host: "127.0.0.1", port, path: target, ca: readFileSync(cert), servername: NAME, ...options },
      (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (piece: string) => (body += piece));
        const cookies = response.headers["set-cookie"] ?? [];
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body, cookies }));
      },
    ).on("error", reject);
  });

test("O8 P3 an address that other machines reach needs TLS and a named token, and says which is missing", async () => {
  const listen = ["serve", "--listen", "0.0.0.0:0"];
  const files = ["--tls-cert", cert, "--tls-key", key];
  const cases = [
    { words: listen, missing: [/--tls-cert FILE/, /holdfast token create/] },
    { words: [...listen, ...files], missing: [/holdfast token create/] },
    { words: [...listen, "--behind-proxy", `https://${NAME}`], missing: [/holdfast token create/] },
    { words: ["serve", "--listen", "[::]:0"], missing: [/--tls-cert FILE/] },
    { words: [...listen, "--tls-cert", cert], missing: [/--tls-cert FILE --tls-key FILE/] },
    { words: [...listen, "--behind-proxy", `http://${NAME}`], missing: [/https/] },
  ];
  for (const { words, missing } of cases) {
    const { code, stderr, stdout } = await tls.cli.call(words);
    assert.equal(code, 2, `${words.join(" ")}: ${stdout}${stderr}`);
    for (const part of missing) assert.match(stderr, part);
  }
});

test("O8 P3 by TLS a server answers to the names of its certificate, and to no other", async () => {
  const { token } = await tls.cli.json<{ token: string }>(["token", "create", "anna", "--role", "admin"]);
  await tls.serve(["--listen", "0.0.0.0:0", "--tls-cert", cert, "--tls-key", key]);
  const port = tls.port;
  const bearer = { authorization: `Bearer ${token}` };
  const asked = async (host: string, more: Record<string, string> = {}): Promise<number> =>
    (await getOver(port, "/api/v1/me", { headers: { host, ...bearer, ...more } })).status;
  assert.equal(await asked(`${NAME}:${String(port)}`), 200);
  assert.equal(await asked(`127.0.0.1:${String(port)}`), 200);
  assert.equal(await asked(`${NAME}:${String(port)}`, { origin: `https://${NAME}:${String(port)}` }), 200);
  for (const host of ["evil.test", `evil.test:${String(port)}`, NAME, `a.wild.test:${String(port)}`])
    assert.equal(await asked(host), 421, host);
  assert.equal(await asked(`${NAME}:${String(port)}`, { origin: `http://${NAME}:${String(port)}` }), 403);
  const plain = await tls.raw(`GET /api/v1/me HTTP/1.1\r\nHost: ${NAME}:${String(port)}\r\n\r\n`);
  assert.notEqual(plain.status, 200, "nothing is answered without TLS");
  const login = await tls.cli.json<{ loginUrl: string }>(["dashboard", "--no-open"]);
  assert.match(login.loginUrl, new RegExp(`^https://${NAME}:${String(port)}/login/`));
  const { status, cookies } = await getOver(port, new URL(login.loginUrl).pathname, {
    headers: { host: `${NAME}:${String(port)}` },
  });
  assert.equal(status, 303);
  assert.match(cookies[0] ?? "", /; HttpOnly; SameSite=Strict; .*Secure/);
});

test("O8 P3 behind a proxy the public name is answered to, and its pages may ask", async () => {
  const bench = newBench();
  await bench.cli.json(["token", "create", "anna"]);
  await bench.serve(["--behind-proxy", `https://${NAME}`]);
  const listening = spawnSync("ss", ["-ltnpH"], { encoding: "utf8" }).stdout.split("\n");
  const own = listening.find((line) => line.includes(`pid=${String(bench.process.child.pid)},`));
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(own ?? "")?.[1]);
  const asked = async (lines: readonly string[]): Promise<number> =>
    (
      await bench.raw(
        [
          "GET /api/v1/me HTTP/1.1",
          ...lines,
          `Authorization: Bearer ${bench.token}`,
          "Connection: close",
          "",
          "",
        ].join("\r\n"),
        { port },
      )
    ).status;
  assert.equal(bench.ready.url, `https://${NAME}`);
  assert.equal(await asked([`Host: ${NAME}`]), 200);
  assert.equal(await asked([`Host: ${NAME}`, `Origin: https://${NAME}`]), 200);
  assert.equal(await asked([`Host: ${NAME}`, `Origin: http://${NAME}`]), 403);
  assert.equal(await asked([`Host: ${NAME}`, "Origin: https://evil.test"]), 403);
  assert.equal(await asked(["Host: evil.test"]), 421);
  assert.equal(await asked([`Host: evil.test`, `X-Forwarded-Host: ${NAME}`]), 421);
});

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

test(
  "O8 P3 another user of the machine reads no token and reaches no socket, and is nobody over TCP",
  { skip: isRoot ? false : "a process of a second user is started as root alone" },
  async () => {
    const bench = newBench();
    await bench.serve();
    // What stands above is open to all here, so that only the server's own folder keeps them out.
    for (const folder of [bench.cli.root, bench.cli.home]) chmodSync(folder, 0o755);
    const as = (words: readonly string[]) =>
      spawnSync(words[0] ?? "", words.slice(1), { uid: NOBODY, gid: NOBODY, encoding: "utf8" });
    const folder = path.join(bench.cli.home, "api");
    assert.equal(as(["ls", bench.cli.home]).status, 0, "the folder above can be read");
    for (const file of [
      bench.ready.tokenFile,
      path.join(folder, "tokens.json"),
      path.join(bench.cli.home, "api.json"),
    ])
      assert.match(as(["cat", file]).stderr, /Permission denied|No such file/, file);
    assert.notEqual(as(["ls", folder]).status, 0);
    const url = "http://localhost/api/v1/health";
    assert.notEqual(as(["curl", "-s", "--unix-socket", bench.ready.socket, url]).status, 0);
    const tcp = as(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", `${bench.ready.url}/api/v1/runs`]);
    assert.equal(tcp.stdout, "401");
  },
);
