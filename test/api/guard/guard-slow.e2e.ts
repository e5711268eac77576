import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { connect, type Socket } from "node:net";
import { Agent, request } from "node:http";
import { API_PREFIX, ROUTE_PATHS, type RouteName } from "../../../src/api/routes/route-paths.ts";
import { ROUTES } from "../../../src/api/routes/route-table.ts";
import type { AnyRoute } from "../../../src/api/routes/define-route.ts";
import { ApiBench } from "../api-bench.ts";
import { processesWith } from "../writes/written-store.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(2);

/** Attacks that take their time, or many tries; of the table of routes, so that a new one is attacked by itself. */
const bench = new ApiBench();
const routes: readonly AnyRoute[] = ROUTES;
const journal = async (): Promise<string> => JSON.stringify(await bench.cli.eventsOf("hello"));

before(async () => {
  const ended = await bench.cli.call(["run", "say hello", "--agent", "demo", "--id", "hello", "--in-place"]);
  assert.equal(ended.code, 0, ended.stderr);
  await bench.serve();
});
after(() => bench.close());

const targetOf = (name: RouteName): string =>
  API_PREFIX + ROUTE_PATHS[name][1].replace("{run}", "hello").replaceAll(/\{\w+\}/g, "x");

const head = (name: RouteName, more: readonly string[] = []): string =>
  [
    `${ROUTE_PATHS[name][0]} ${targetOf(name)} HTTP/1.1`,
    `Host: 127.0.0.1:${String(bench.port)}`,
    `Authorization: Bearer ${bench.token}`,
    ...more,
    "",
    "",
  ].join("\r\n");

test(
  "O8 P3 a body that dribbles is cut off on every write, and does nothing",
  { timeout: 120_000 },
  async () => {
    const standing = await journal();
    const writes = routes.filter(({ isWrite }) => isWrite);
    const lines = ["Content-Type: application/json", "Content-Length: 400"];
    const statuses = await Promise.all(
      writes.map(async ({ name }) => [
        name,
        (await bench.raw(`${head(name, lines)}{`, { waitMs: 60_000 })).status,
      ]),
    );
    assert.deepEqual(
      statuses.filter(([, status]) => status !== 408),
      [],
    );
    assert.ok(statuses.length >= 18, `${String(statuses.length)} writes`);
    assert.ok((await journal()) === standing, "the journal is as it was");
  },
);

test(
  "O8 P3 readers that take nothing keep nobody from being answered, on any route",
  { timeout: 120_000 },
  async () => {
    const open = (name: RouteName, times = 1): Socket => {
      const socket = connect(bench.port, "127.0.0.1");
      // It never reads, no matter what comes.
      socket.pause().on("error", () => undefined);
      socket.write(head(name).repeat(times));
      return socket;
    };
    const slow = [
      ...routes.filter(({ isWrite }) => !isWrite).flatMap(({ name }) => [open(name), open(name)]),
      ...Array.from({ length: 40 }, () => open("listEvents", 25)),
      ...Array.from({ length: 40 }, () => open("stream")),
    ];
    try {
      assert.ok(slow.length > 100, `${String(slow.length)} readers`);
      const statuses = await Promise.all(
        Array.from({ length: 20 }, () => bench.client.getRun({ params: { run: "hello" } }).then(() => 200)),
      );
      assert.deepEqual(new Set(statuses), new Set([200]));
    } finally {
      for (const socket of slow) socket.destroy();
    }
  },
);

test("O8 P3 the code of a login URL that was used is nobody's on every route", async () => {
  const { loginUrl } = await bench.client.createLogin({ body: {} });
  const code = new URL(loginUrl).pathname.split("/").at(-1) ?? "";
  const first = await fetch(loginUrl, { redirect: "manual" });
  assert.equal(first.status, 303);
  const standing = await journal();
  let played = 0;
  for (const { name, role } of routes) {
    if (role === null) continue;
    const [method] = ROUTE_PATHS[name];
    const body = method === "POST" ? ["Content-Type: application/json", "Content-Length: 2"] : [];
    for (const credential of [
      `Authorization: Bearer ${code}`,
      `Cookie: holdfast_${String(bench.port)}=${code}`,
      `X-Login: ${loginUrl}`,
    ]) {
      const lines = [
        `${method} ${targetOf(name)} HTTP/1.1`,
        `Host: 127.0.0.1:${String(bench.port)}`,
        credential,
        ...body,
        "Connection: close",
        "",
        method === "POST" ? "{}" : "",
      ];
      const { status } = await bench.raw(lines.join("\r\n"));
      assert.ok(status === 401 || status === 429, `${name}: ${String(status)}`);
      played += 1;
    }
  }
  assert.ok(played > 150, `${String(played)} were played`);
  assert.ok((await fetch(loginUrl, { redirect: "manual" })).status !== 303);
  assert.ok((await journal()) === standing, "the journal is as it was");
});

test(
  "O8 P3 of 10,000 wrong tokens all but the first are slowed down, and none is accepted",
  { timeout: 120_000 },
  async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    const counts = new Map<number, number>();
    const guess = (nth: number): Promise<void> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer hf_guess${String(nth)}` };
        request(
          { agent, host: "127.0.0.1", port: bench.port, path: `${API_PREFIX}/me`, headers },
          (response) => {
            const { statusCode = 0 } = response;
            counts.set(statusCode, (counts.get(statusCode) ?? 0) + 1);
            response.resume().on("end", resolve);
          },
        )
          .on("error", reject)
          .end();
      });
    for (let nth = 0; nth < 10_000; nth += 100)
      await Promise.all(Array.from({ length: 100 }, (_, more) => guess(nth + more)));
    agent.destroy();
    assert.deepEqual([...counts.keys()].sort(), counts.has(401) ? [401, 429] : [429]);
    assert.ok((counts.get(429) ?? 0) > 9_900, JSON.stringify([...counts]));
    assert.ok((await bench.client.whoAmI({})).name.length > 0, "the right one is still accepted");
  },
);

test("O8 P3 tokens and login codes stand in no log, journal, argument or environment", async () => {
  const { token } = await bench.client.createToken({ body: { name: "leak", role: "admin" } });
  const { loginUrl } = await bench.client.createLogin({ body: {} });
  const code = new URL(loginUrl).pathname.split("/").at(-1) ?? "";
  await fetch(`${bench.ready.url}/api/v1/nowhere?token=${token}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await fetch(`${bench.ready.url}/api/v1/runs/${token}`, { headers: { authorization: `Bearer ${token}` } });
  for (const secret of [token, code, bench.token]) {
    const { stdout } = spawnSync("grep", ["-rlF", secret, bench.cli.root], { encoding: "utf8" });
    const files = stdout.split("\n").filter((file) => file !== "" && file !== bench.ready.tokenFile);
    assert.deepEqual(files, []);
    assert.ok(!bench.process.stdout().includes(secret));
    if (process.platform === "linux") assert.equal(processesWith(secret), 0);
  }
});
