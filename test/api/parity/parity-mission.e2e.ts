import assert from "node:assert/strict";
import path from "node:path";
import type { Recorded } from "../../../src/model/events/events.ts";
import { makeRepository } from "../../cli/mission/made-repository.ts";
import { takesTurns } from "../../turns.ts";
import { ApiBench } from "../api-bench.ts";
import { withStore } from "../writes/written-store.ts";

const { after, before, test } = takesTurns(3);

/** The same mission led by the command line, by its routes and by the client: the journals are equal afterwards. */
const WAYS = ["cli", "http", "client"] as const;
type Way = (typeof WAYS)[number];

/** It works on a file that it waits for: nothing of it ends by itself. */
const bench = new ApiBench({
  "waits.json": JSON.stringify({ attempts: [[{ do: "wait", file: "never" }]] }),
  "mission.yaml": `agent: "demo:./waits.json"
repositories: { api: ./api }
workstreams:
  - { id: one, repository: api, goal: begin it }
  - { id: two, repository: api, goal: end it, needs: [one] }
  - { id: three, repository: api, goal: tell of it, needs: [checked] }
barriers: { checked: { of: [one], approval: true } }
`,
  "holdfast.yaml": "supervisor: { idleExitMs: 300, scanMs: 100 }\nstartup: { termGraceMs: 300 }\n",
});
const store = `sqlite:${bench.cli.store}`;

before(async () => {
  makeRepository(path.join(bench.cli.cwd, "api"));
  await bench.serve();
  // Nothing starts: what is compared is what was asked.
  await withStore(store, async (system) => void (await system.store.stop({ by: "test" })));
});
after(() => bench.close());

async function post(target: string, body: unknown): Promise<number> {
  const response = await fetch(`${bench.ready.url}/api/v1${target}`, {
    method: "POST",
    headers: { authorization: `Bearer ${bench.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}

const ASKS = [
  [{ kind: "pause" }, ["pause", "NAME"]],
  [{ kind: "launch", workstream: "one" }, ["launch", "NAME", "--workstream", "one"]],
  [{ kind: "resume" }, ["resume", "NAME"]],
  [{ kind: "launch", workstream: "two" }, ["launch", "NAME", "--workstream", "two"]],
  [{ kind: "launch", workstream: "two", retry: true }, ["launch", "NAME", "--workstream", "two", "--retry"]],
  [
    { kind: "autopilot", autoRetry: true, maxRetries: 1, continueOnFailure: true },
    ["autopilot", "NAME", "--auto-retry", "--max-retries", "1", "--continue-on-failure"],
  ],
  [{ kind: "autopilot", off: true }, ["autopilot", "NAME", "--off"]],
  [{ kind: "approve", digest: "60405c" }, ["approve", "NAME", "--digest", "60405c"]],
  [{ kind: "pass", barrier: "checked" }, ["pass", "checked", "--mission", "NAME"]],
  [{ kind: "skip", workstream: "one" }, ["skip", "one", "--mission", "NAME"]],
  [{ kind: "pass", barrier: "checked" }, ["pass", "checked", "--mission", "NAME"]],
  [{ kind: "skip", workstream: "nothing" }, ["skip", "nothing", "--mission", "NAME"]],
  [{ kind: "reconcile" }, ["reconcile", "NAME"]],
  [{ kind: "stop" }, ["stop", "NAME"]],
] as const;
/** 404 and 409 are exit codes 4 and 5. */
const CODES: Readonly<Record<number, number>> = { 200: 0, 404: 4, 409: 5 };

/** Begins a mission and asks everything of it; answers how each ended. */
async function lead(way: Way): Promise<number[]> {
  const begun = { file: "mission.yaml", name: way };
  const codes: number[] = [];
  if (way === "cli") {
    codes.push((await bench.cli.call(["mission", "start", "mission.yaml", "--name", way])).code ?? -1);
    for (const [, words] of ASKS) {
      const named = words.map((word) => (word === "NAME" ? way : word));
      codes.push((await bench.cli.call(["mission", ...named])).code ?? -1);
    }
    return codes;
  }
  const codeOf = (answer: Promise<unknown>): Promise<number> =>
    answer.then(
      () => 0,
      (error: unknown) => CODES[(error as { status: number }).status] ?? -1,
    );
  if (way === "http") {
    codes.push(CODES[await post("/missions", begun)] ?? -1);
    for (const [ask] of ASKS) codes.push(CODES[await post(`/missions/${way}/requests`, ask)] ?? -1);
    return codes;
  }
  codes.push(await codeOf(bench.client.beginMission({ body: begun })));
  for (const [body] of ASKS)
    codes.push(await codeOf(bench.client.askMission({ params: { mission: way }, body })));
  return codes;
}

/** What was asked, without what each mission has for itself. */
const plain = (events: readonly Recorded[]): string =>
  JSON.stringify(
    events.map(({ type, data }) => [type, data]),
    (key, value: unknown) => (key === "via" || key === "requestId" ? undefined : value),
  );

test("O8 G15 a mission has the same journal by the command line, by its routes and by the client", async () => {
  const [ways, journals]: [string[], string[]] = [[], []];
  for (const way of WAYS) {
    ways.push((await lead(way)).join(" "));
    const events = await withStore(store, ({ ports }) =>
      ports.journal.read(`mission:${way}`, { after: 0, limit: 100 }),
    );
    journals.push(plain(events));
  }
  assert.deepEqual(ways, Array(3).fill("0 0 5 0 5 5 0 0 5 5 0 0 4 0 0"));
  assert.equal(new Set(journals).size, 1, journals.join("\n"));
  assert.match(
    journals[0] ?? "",
    /MissionBegun.*MissionPaused.*MissionResumed.*AutopilotSet.*AutopilotStopped.*WorkstreamSkipped.*BarrierOpened.*MissionStopped/,
  );
});

test("O8 G15 the list, one mission and its diff say the same as the command line, with a reason where they refuse", async () => {
  const { missions } = await bench.client.listMissions({});
  assert.deepEqual({ missions }, await bench.cli.json(["mission", "list"]));
  assert.deepEqual(missions.map(({ mission, status }) => [mission, status]).sort(), [
    ["cli", "stopped"],
    ["client", "stopped"],
    ["http", "stopped"],
  ]);
  const params = { mission: "http" };
  const one = await bench.client.getMission({ params });
  assert.deepEqual(one, await bench.cli.json(["mission", "status", "http"]));
  assert.deepEqual(
    one.barriers.map(({ name, of, when, approval, open }) => [name, of, when, approval, open]),
    [["checked", ["one"], "all", true, true]],
  );
  assert.deepEqual(
    await bench.client.diffMission({ params }),
    await bench.cli.json(["mission", "diff", "http"]),
  );
  const refused = await bench.client.askMission({ params, body: { kind: "launch", workstream: "two" } }).then(
    () => null,
    (error: unknown) => error as { status: number; message: string },
  );
  assert.deepEqual([refused?.status, refused?.message.includes("held: ")], [409, true], refused?.message);
  const types: string[] = [];
  for await (const event of bench.client.stream({ runs: ["mission:http"], from: "start" })) {
    types.push(event.type);
    if (event.type === "MissionStopped") break;
  }
  assert.deepEqual(types.slice(0, 3), ["MissionBegun", "MissionPaused", "MissionResumed"]);
});
