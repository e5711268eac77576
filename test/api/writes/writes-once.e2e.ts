import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { ApiBench } from "../api-bench.ts";
import { killWrites, type KillAt } from "./kill-writes.ts";
import { keptRoutes, WRITE_CASES } from "./write-cases.ts";
import { allEvents, prepareStore } from "./written-store.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(0);

const POINTS: readonly KillAt[] = ["begun", "kept"];

test("O8 every write that is kept has a case here", () => {
  const missing = keptRoutes.filter(({ name }) => WRITE_CASES[name] === undefined).map(({ name }) => name);
  assert.deepEqual(missing, []);
});

test(
  "O8 a server that is killed in a write has done it once or not at all, and the same key says which",
  { timeout: 600_000 },
  async () => {
    // What was done and is answered nowhere is the worst: every route. The long form is `npm run chaos:writes`.
    const some = keptRoutes.filter((_, nth) => nth % 4 === 0);
    const plan = [
      ...keptRoutes.map((route) => ({ route, at: "done" as const })),
      ...POINTS.flatMap((at) => some.map((route) => ({ route, at }))),
    ];
    const report = await killWrites(plan);
    assert.deepEqual(report.wrong, []);
    assert.equal(report.kills, plan.length);
  },
);

const bench = new ApiBench();
let store = "";
before(async () => {
  store = await prepareStore(bench.cli.home, bench.cli.cwd);
  await bench.serve();
});
after(() => bench.close());

const ask = async (target: string, body: unknown, key: string, token = bench.token) => {
  const response = await fetch(`${bench.ready.url}/api/v1${target}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": key,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
};

test("O8 many who ask the same at once under one key are all answered the same, and it is done once", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => ask("/tokens", { name: "one", role: "viewer" }, "at-once")),
  );
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal((await bench.client.listTokens({})).tokens.length, 1);
  const asked = await Promise.all(
    Array.from({ length: 20 }, () =>
      ask("/runs/rest/requests", { kind: "alarm", in: "1h", note: "ring-once" }, "at-once-2"),
    ),
  );
  assert.equal(new Set(asked.map(({ text }) => text)).size, 1);
  const rings = (await allEvents(store)).filter(
    ({ type, data }) => type === "AlarmSet" && JSON.stringify(data).includes("ring-once"),
  );
  assert.equal(rings.length, 1);
});

test("O8 a key belongs to who has used it: another token learns nothing by it", async () => {
  const made = await ask("/tokens", { name: "mine", role: "admin" }, "whose");
  const { token } = JSON.parse(made.text) as { token: string };
  const other = await ask("/tokens", { name: "mine", role: "admin" }, "whose", token);
  assert.equal(other.status, 409);
  assert.ok(!other.text.includes(token));
  assert.match(other.text, /was used for another request/);
});

test("O8 the secret of a token is shown again under its key, and stands in no file", async () => {
  const first = await ask("/tokens", { name: "phone", role: "viewer" }, "shown");
  const { token } = JSON.parse(first.text) as { token: string };
  await bench.end("SIGKILL");
  await bench.serve();
  assert.deepEqual(await ask("/tokens", { name: "phone", role: "viewer" }, "shown"), first);
  const { status } = await fetch(`${bench.ready.url}/api/v1/me`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(status, 200);
  const { stdout } = spawnSync("grep", ["-rlF", token, bench.cli.root], { encoding: "utf8" });
  assert.equal(stdout, "");
});

test("O8 a login URL is the same for the same key while its server lives, and ends with it", async () => {
  const login = async () => JSON.parse((await ask("/logins", {}, "login")).text) as { loginUrl: string };
  const { loginUrl } = await login();
  assert.equal((await login()).loginUrl, loginUrl);
  await bench.end("SIGKILL");
  await bench.serve();
  const again = (await login()).loginUrl;
  assert.notEqual(again.split("/login/")[1], loginUrl.split("/login/")[1]);
  const gone = await fetch(loginUrl.replace(/^http:\/\/[^/]*/, bench.ready.url), { redirect: "manual" });
  assert.equal(gone.status, 401);
});

test("O8 an approval asked for again under its key is answered as it was, although the run waits for nothing now", async () => {
  await bench.cli.call([
    "run",
    "say hello",
    "--agent",
    "demo",
    "--id",
    "gated",
    "--in-place",
    "--approve",
    "completion",
    "--detach",
  ]);
  await bench.cli.reaches("gated", "awaiting_approval");
  const entry = (await bench.client.listInbox({})) as unknown as {
    entries?: { run: string; digest?: string }[];
  };
  const digest = JSON.stringify(entry).match(/"digest":"([0-9a-f]{8,64})"/)?.[1];
  const body = { kind: "approve", ...(digest === undefined ? {} : { digest }) };
  const first = await ask("/runs/gated/requests", body, "yes");
  assert.equal(first.status, 200, first.text);
  assert.deepEqual(await ask("/runs/gated/requests", body, "yes"), first);
  const received = (await allEvents(store)).filter(
    ({ type, data, run }) => run === "gated" && type === "RequestHeard" && data.request.kind === "approve",
  );
  assert.deepEqual(
    received.map(({ data }) => (data as { requestId: string }).requestId),
    ["yes"],
    "it is kept under its key itself",
  );
});
