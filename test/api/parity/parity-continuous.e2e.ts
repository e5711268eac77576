import assert from "node:assert/strict";
import type { Recorded } from "../../../src/model/events/events.ts";
import { ApiBench } from "../api-bench.ts";
import { withStore } from "../writes/written-store.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(3);

/** The same session led by the command line, by its routes and by the client: the journals are equal afterwards. */
const WAYS = ["cli", "http", "client"] as const;
type Way = (typeof WAYS)[number];

/** Goals of the next leap year: nothing starts meanwhile. */
const bench = new ApiBench({
  "goals.jsonl": '{"id":"one","goal":"say hello","cron":"0 0 29 2 *"}\n',
  "holdfast.yaml": "supervisor: { idleExitMs: 300, scanMs: 100 }\n",
});
const store = `sqlite:${bench.cli.store}`;
const SOURCE = "command:cat goals.jsonl";

before(async () => void (await bench.serve()));
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
  { kind: "pause" },
  { kind: "resume" },
  { kind: "stop" },
  { kind: "skip", goal: "nothing" },
] as const;

/** Begins a session and asks everything of it; answers whether each was done. */
async function lead(way: Way): Promise<boolean[]> {
  if (way === "cli") {
    const words = ASKS.map((ask) =>
      ask.kind === "skip" ? ["skip", ask.goal, "--session", way] : [ask.kind, way],
    );
    const done: boolean[] = [];
    for (const one of [["--source", SOURCE, "--agent", "demo", "--name", way], ...words])
      done.push((await bench.cli.call(["continuous", ...one])).code === 0);
    return done;
  }
  const begun = { source: SOURCE, agent: "demo", name: way };
  if (way === "http") {
    const done = [(await post("/continuous", begun)) === 200];
    for (const ask of ASKS) done.push((await post(`/continuous/${way}/requests`, ask)) === 200);
    return done;
  }
  const isDone = (answer: Promise<unknown>): Promise<boolean> =>
    answer.then(
      () => true,
      () => false,
    );
  const done = [await isDone(bench.client.beginContinuous({ body: begun }))];
  for (const body of ASKS)
    done.push(await isDone(bench.client.askContinuous({ params: { session: way }, body })));
  return done;
}

const asked = ({ type }: { readonly type: string }): boolean => type.startsWith("Continuous");

/** What was asked; a supervisor looks at the goals meanwhile. */
const plain = (events: readonly Recorded[]): string =>
  JSON.stringify(
    events.filter(asked).map(({ type, data }) => [type, data]),
    (key, value: unknown) => (key === "via" ? undefined : value),
  );

test("O8 G14 a continuous session has the same journal by the command line, by its routes and by the client", async () => {
  const [ways, journals]: [string[], string[]] = [[], []];
  for (const way of WAYS) {
    ways.push((await lead(way)).join(" "));
    const events = await withStore(store, ({ ports }) =>
      ports.journal.read(`continuous:${way}`, { after: 0, limit: 100 }),
    );
    journals.push(plain(events));
  }
  assert.deepEqual(ways, [
    "true true true true false",
    "true true true true false",
    "true true true true false",
  ]);
  assert.deepEqual(new Set(journals).size, 1, journals.join("\n"));
  assert.match(journals[0] ?? "", /ContinuousBegun.*ContinuousPaused.*ContinuousResumed.*ContinuousStopped/);
});

test("O8 G14 the list and each session say the same as the command line, and the stream what was asked", async () => {
  const { sessions } = await bench.client.listContinuous({});
  const listed = await bench.cli.json<{ sessions: unknown }>(["continuous", "list"]);
  assert.deepEqual(sessions, listed.sessions);
  assert.deepEqual(sessions.map(({ session, status }) => [session, status]).sort(), [
    ["cli", "stopped"],
    ["client", "stopped"],
    ["http", "stopped"],
  ]);
  const one = await bench.client.getContinuous({ params: { session: "http" } });
  assert.deepEqual(one, await bench.cli.json(["continuous", "status", "http"]));
  const types: string[] = [];
  for await (const event of bench.client.stream({ runs: ["continuous:http"], from: "start" })) {
    if (asked(event)) types.push(event.type);
    if (event.type === "ContinuousStopped") break;
  }
  assert.deepEqual(types, ["ContinuousBegun", "ContinuousPaused", "ContinuousResumed", "ContinuousStopped"]);
});
