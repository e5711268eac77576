import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { playHosts, playMatrix, playSimpleWrites } from "./guard-matrix.ts";
import { GuardStage, JSON_TYPE } from "./guard-stage.ts";

const stage = new GuardStage();
const { bench } = stage;
const journal = stage.journal;

before(() => stage.open());
after(() => stage.close());

const limit = { timeout: 300_000 };

test("O8 every route refuses every attack of the matrix, and no journal changes", limit, async () => {
  const { tried, succeeded } = await playMatrix(stage);
  assert.deepEqual(succeeded, []);
  assert.ok(tried > 600, `${String(tried)} attacks were played`);
  assert.ok(await stage.isUntouched(), "the journal is as it was");
});

test(
  "O8 P3 no write is done as a type that browsers send without asking, from any origin",
  limit,
  async () => {
    const { tried, succeeded } = await playSimpleWrites(stage);
    assert.deepEqual(succeeded, []);
    assert.ok(tried > 400, `${String(tried)} attacks were played`);
    assert.ok(await stage.isUntouched(), "the journal is as it was");
  },
);

test("O8 no other spelling of the host is answered, on any route", limit, async () => {
  const { tried, succeeded } = await playHosts(stage);
  assert.deepEqual(succeeded, []);
  assert.ok(tried > 500, `${String(tried)} attacks were played`);
});

test("O8 P4 what stands in an address or a query is never an option of the command behind it", async () => {
  const made = path.join(bench.cli.root, "made.db");
  for (const word of ["--help", "-h", "--version", `--store=sqlite:${made}`, "--json"]) {
    const part = encodeURIComponent(word);
    for (const target of [
      `/runs/hello/checkpoints/${part}/diff/${part}`,
      `/runs/hello/checkpoints/${part}/files/${part}`,
      `/runs/${part}`,
      `/runs/${part}/report`,
      `/runs/hello/changes?since=${part}`,
      `/runs/hello/logs?step=${part}&cursor=${part}`,
      `/runs?status=${part}`,
      `/runs?repo=${part}&since=${part}&blockedBy=${part}`,
      `/garbage?olderThan=${part}`,
      `/diff?a=${part}&b=${part}`,
      `/alarms?run=${part}`,
      `/proposals/${part}`,
    ]) {
      const { status, body } = await stage.send({ target: `/api/v1${target}`, headers: [stage.bearer] });
      assert.ok(status < 500, `${target}: ${String(status)} ${body}`);
      assert.doesNotMatch(body, /Usage: holdfast/, target);
    }
  }
  assert.ok(!existsSync(made), "no other store was opened");
});

test("O8 every read leaves every journal as it was", async () => {
  for (const route of stage.routes) {
    if (route.isWrite || route.sends === "stream") continue;
    const query =
      route.name === "diffRuns" ? "?a=hello&b=hello" : route.name === "waitRun" ? "?timeout=100ms" : "";
    const { status } = await stage.send({
      target: stage.requestFor(route.name).target + query,
      headers: [stage.bearer],
    });
    assert.ok([200, 400, 404, 409].includes(status), `${route.name}: ${String(status)}`);
  }
  assert.ok(await stage.isUntouched(), "the journal is as it was");
});

test("O8 a login URL begins one session, which reads and writes as a page does, and ends with its token", async () => {
  const { loginUrl } = await bench.client.createLogin({ body: {} });
  const target = new URL(loginUrl).pathname;
  const first = await stage.send({ target });
  assert.equal(first.status, 303);
  const set = first.headers.get("set-cookie") ?? "";
  assert.match(set, /HttpOnly; SameSite=Strict/);
  const replayed = (await stage.send({ target })).status;
  assert.ok(replayed === 401 || replayed === 429, `the login URL is good once: ${String(replayed)}`);
  const own = ["Cookie", set.split(";")[0] ?? ""] as const;
  assert.equal(
    (await stage.send({ target: "/api/v1/me", headers: [own, ["Sec-Fetch-Site", "same-origin"]] })).status,
    200,
  );
  const asked = await stage.send({
    method: "POST",
    target: "/api/v1/runs/hello/requests",
    headers: [own, ["Origin", stage.origin], JSON_TYPE],
    body: '{"kind":"pause"}',
  });
  assert.equal(asked.status, 409, "admitted, and refused by the state of the run");
  const out = await stage.send({
    method: "POST",
    target: "/api/v1/logout",
    headers: [own, ["Origin", stage.origin], JSON_TYPE],
    body: "{}",
  });
  assert.equal(out.status, 200);
  const { status } = await stage.send({
    target: "/api/v1/me",
    headers: [own, ["Sec-Fetch-Site", "same-origin"]],
  });
  assert.ok(status === 401 || status === 429, `${String(status)}: refused, or slowed down beside others`);
});

test("O8 the token, the socket and what names them are their owner's alone, and the token stands in no argument, log or journal", async () => {
  for (const file of [
    bench.ready.tokenFile,
    bench.ready.socket,
    path.join(bench.cli.home, "api.json"),
    path.join(bench.cli.home, "api", "tokens.json"),
    path.join(bench.cli.home, "api", "sessions.json"),
  ])
    assert.equal(statSync(file).mode & 0o777, 0o600, file);
  assert.equal(statSync(path.join(bench.cli.home, "api")).mode & 0o777, 0o700);
  assert.ok(!bench.process.stdout().includes(bench.token));
  assert.ok(!(await journal()).includes(bench.token));
});

test("O8 another address than loopback is refused without TLS and a named token", async () => {
  const bare = await bench.cli.call(["serve", "--listen", "0.0.0.0:0"]);
  assert.equal(bare.code, 2, bare.stderr);
  assert.match(bare.stderr, /--tls-cert FILE --tls-key FILE/);
});

test("O8 P3 a write that names an agent is refused, no matter what it calls itself, and asks nothing", async () => {
  const standing = await journal();
  for (const name of ["hello work%231", "- x", "%", "%E0%A4%A", "a".repeat(1_000)]) {
    const { status, body } = await stage.send({
      method: "POST",
      target: "/api/v1/runs/hello/requests",
      headers: [stage.bearer, JSON_TYPE, ["holdfast-agent", name]],
      body: '{"kind":"reopen"}',
    });
    assert.equal(status, 409, body);
    assert.match(body, /is an agent; agents ask nothing through the API/);
  }
  assert.equal(await journal(), standing);
});

test("O8 anybody may ask whether the server lives, and learns nothing else", async () => {
  const { status, body } = await stage.send({ target: "/api/v1/health" });
  assert.deepEqual([status, body], [200, '{"alive":true}\n']);
});
