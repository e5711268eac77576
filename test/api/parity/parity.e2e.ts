import assert from "node:assert/strict";
import { requestBodySchema, requestWords, type RequestBody } from "../../../src/api/routes/request-body.ts";
import type { System } from "../../../src/main.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import { STORE_RESOURCE } from "../../../src/model/host/resource-address.ts";
import type { RunRequest } from "../../../src/model/requests/requests.ts";
import { ApiBench } from "../api-bench.ts";
import { pausedRun, withStore } from "../writes/written-store.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(5);

/** The same verb by the command line, by its route and by the client: equal runs have equal journals afterwards. */
const WAYS = ["cli", "http", "client"] as const;
type Way = (typeof WAYS)[number];

interface Verb {
  readonly body: (run: string) => RequestBody;
  /** What the run was asked before, so that there is something to do. */
  readonly first?: readonly RunRequest[];
}

const resumed: RunRequest = { kind: "resume" };
const escalated: RunRequest = { kind: "escalate", note: "look at it" };
const inAnHour = 3_600_000;

/** Exhaustive by type: a new request does not compile without its case. */
const VERBS: Readonly<Record<RequestBody["kind"], Verb>> = {
  pause: { body: () => ({ kind: "pause" }), first: [resumed] },
  resume: { body: () => ({ kind: "resume" }) },
  cancel: { body: () => ({ kind: "cancel" }) },
  reopen: { body: () => ({ kind: "reopen" }), first: [{ kind: "cancel" }] },
  retry: { body: () => ({ kind: "retry", step: "work" }) },
  approve: { body: () => ({ kind: "approve", note: "yes" }), first: [resumed, escalated] },
  reject: { body: () => ({ kind: "reject", note: "no" }), first: [resumed, escalated] },
  unblock: {
    body: (run) => ({ kind: "unblock", escalation: `${run}.e1`, note: "done" }),
    first: [resumed, escalated],
  },
  escalate: { body: () => ({ kind: "escalate", note: "look at it" }), first: [resumed] },
  tell: { body: () => ({ kind: "tell", text: "be quick; `rm -rf /`", step: "work" }) },
  alarm: { body: () => ({ kind: "alarm", in: "3h", note: "look" }) },
  cancel_alarm: {
    body: (run) => ({ kind: "cancel_alarm", alarm: `${run}.a1` }),
    first: [{ kind: "alarm", dueAt: Date.now() + inAnHour, note: "ring" }],
  },
  signal: { body: () => ({ kind: "signal", name: "mail", value: { n: 1 } }) },
  settle: { body: () => ({ kind: "settle", key: "step:pay", again: true }) },
  set: { body: () => ({ kind: "set", settings: { "budget.usd": 40 }, note: "more" }) },
  checkpoint: { body: () => ({ kind: "checkpoint", note: "now" }) },
  restore: { body: () => ({ kind: "restore" }) },
  handoff: { body: () => ({ kind: "handoff", to: "demo", step: "work", reason: "slow" }) },
  reissue: { body: () => ({ kind: "reissue", reason: "stale", step: "work" }) },
  reconcile: { body: () => ({ kind: "reconcile" }) },
  accept: { body: () => ({ kind: "accept" }) },
  commit: { body: () => ({ kind: "commit", message: "work" }) },
  apply_proposal: { body: (run) => ({ kind: "apply_proposal", proposal: `${run}.p1` }) },
  reject_proposal: {
    body: (run) => ({ kind: "reject_proposal", proposal: `${run}.p1`, note: "no", drop: true }),
  },
};
const verbs = Object.entries(VERBS) as [RequestBody["kind"], Verb][];

const bench = new ApiBench();
const store = `sqlite:${bench.cli.store}`;
const nameOf = (kind: string, way: Way): string => `${kind.replaceAll("_", "-")}-${way}`;

before(async () => {
  await bench.serve();
  await withStore(store, async (system) => {
    // Nothing starts: what is compared is what was asked and decided.
    await system.store.stop({ by: "test" });
    for (const [kind, { first = [] }] of verbs)
      for (const way of WAYS) await prepared(system, nameOf(kind, way), first);
  });
});
after(() => bench.close());

async function prepared(system: System, run: string, first: readonly RunRequest[]): Promise<void> {
  await pausedRun(system, run, bench.cli.cwd);
  for (const request of first) await system.requests.ask(run, request, { by: "test", waitMs: 5_000 });
}

const EXPECTED: ReadonlySet<number> = new Set([200, 400, 404, 409]);

/** Whether it was done; the answers of the ways differ in form. */
async function asked(way: Way, run: string, body: RequestBody): Promise<boolean> {
  if (way === "cli") return (await bench.cli.call(requestWords(run, body))).code === 0;
  if (way === "client")
    return bench.client.ask({ params: { run }, body }).then(
      () => true,
      () => false,
    );
  const response = await fetch(`${bench.ready.url}/api/v1/runs/${run}/requests`, {
    method: "POST",
    headers: { authorization: `Bearer ${bench.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(EXPECTED.has(response.status), text);
  return response.ok;
}

/** What happened, without the names, times and ids that every run has for itself. */
function plain(events: readonly Recorded[], run: string): string {
  const text = JSON.stringify(
    events.map(({ type, data }) => ({ type, data })),
    (key, value: unknown) => {
      if (key === "requestId" || key === "via") return undefined;
      return typeof value === "number" && value > 1e12 ? "a time" : value;
    },
  );
  return text.replaceAll(run, "RUN").replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time");
}

test(
  "O8 every request of a run leaves the same journal by the command line, by its route and by the client",
  { timeout: 300_000 },
  async () => {
    const kinds = requestBodySchema.options.map(({ shape }) => shape.kind.value);
    assert.deepEqual(kinds.sort(), verbs.map(([kind]) => kind).sort());
    const outcomes = await Promise.all(
      verbs.map(async ([kind, { body }]) => {
        const done: boolean[] = [];
        for (const way of WAYS) done.push(await asked(way, nameOf(kind, way), body(nameOf(kind, way))));
        return { kind, done };
      }),
    );
    const differing: string[] = [];
    await withStore(store, async ({ ports: { journal } }) => {
      for (const { kind, done } of outcomes) {
        const journals = await Promise.all(
          WAYS.map(async (way) => {
            const run = nameOf(kind, way);
            return plain(await journal.read(run, { after: 0, limit: 1_000 }), run);
          }),
        );
        if (new Set(journals).size > 1) differing.push(`${kind}:\n  ${journals.join("\n  ")}`);
        if (new Set(done).size > 1) differing.push(`${kind}: done ${done.join(", ")}`);
      }
    });
    assert.deepEqual(differing, []);
    const done = outcomes.filter((one) => one.done[0]).map(({ kind }) => kind);
    assert.ok(done.length >= 12, `done, not refused: ${done.join(", ")}`);
  },
);

const post = async (target: string, body: unknown): Promise<number> => {
  const response = await fetch(`${bench.ready.url}/api/v1${target}`, {
    method: "POST",
    headers: { authorization: `Bearer ${bench.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
};

test("O8 what concerns the whole store is recorded the same, whichever way it was asked", async () => {
  const ways: Readonly<Record<Way, () => Promise<unknown>>> = {
    cli: async () => {
      for (const words of [["start"], ["set", "--all", "budget.day.usd=41"], ["stop", "--all"]])
        assert.equal((await bench.cli.call(words)).code, 0, words.join(" "));
    },
    http: async () => {
      assert.equal(await post("/store/start", {}), 200);
      assert.equal(await post("/settings", { settings: { "budget.day.usd": 42 } }), 200);
      assert.equal(await post("/store/stop", {}), 200);
    },
    client: async () => {
      await bench.client.startStore({ body: {} });
      await bench.client.setForAll({ body: { settings: { "budget.day.usd": 43 } } });
      await bench.client.stopStore({ body: {} });
    },
  };
  // Nothing is to start meanwhile.
  await withStore(store, async ({ ports: { journal }, requests }) => {
    for (const { run } of await journal.runs({ statuses: ["queued", "running"] }))
      await requests.ask(run, { kind: "cancel" }, { by: "test", waitMs: 5_000 });
  });
  const seen: string[] = [];
  for (const way of WAYS) {
    const after = await withStore(store, (system) => system.store.seq());
    await ways[way]();
    const events = await withStore(store, ({ ports: { journal } }) =>
      journal.read(STORE_RESOURCE, { after, limit: 100 }),
    );
    const said = events.map(({ type, data }) => ({ type, by: "by" in data ? data.by : null }));
    assert.equal(said.length, 3);
    seen.push(JSON.stringify(said));
  }
  assert.equal(new Set(seen).size, 1, seen.join("\n"));
});

test("O8 a token that was made one way is listed and revoked by all", async () => {
  const { token } = await bench.cli.json<{ token: string }>(["token", "create", "by-cli"]);
  assert.equal(await post("/tokens", { name: "by-http" }), 200);
  await bench.client.createToken({ body: { name: "by-client", role: "viewer" } });
  const names = (rows: readonly { name: string }[]): string[] => rows.map(({ name }) => name).sort();
  const all = ["by-cli", "by-client", "by-http"];
  const listed = await bench.cli.json<{ tokens: { name: string }[] }>(["token", "list"]);
  assert.deepEqual(names(listed.tokens), all);
  assert.deepEqual(names((await bench.client.listTokens({})).tokens), all);
  assert.equal(await post("/tokens/by-cli/revoke", {}), 200);
  await bench.client.revokeToken({ params: { token: "by-http" }, body: {} });
  assert.equal((await bench.cli.call(["token", "revoke", "by-client"])).code, 0);
  assert.deepEqual((await bench.client.listTokens({})).tokens, []);
  const gone = await fetch(`${bench.ready.url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(gone.status, 401);
});
