import assert from "node:assert/strict";
import { AGENTS } from "../agents.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(0);

const bench = new CliBench({
  "agents.mjs": `${AGENTS}
export async function dozes({ task, number, signal }) {
  if (number > 1) return task;
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  throw new Error("stopped");
}
`,
  "holdfast.yaml": "supervisor: { idleExitMs: 300, scanMs: 100 }\nstartup: { termGraceMs: 300 }\n",
});
after(() => bench.close());

interface Alarms {
  readonly alarms: readonly { readonly id: string; readonly note: string; readonly wakes: boolean }[];
}
const alarms = async (): Promise<Alarms["alarms"]> =>
  ((await bench.json(["alarms"])) as unknown as Alarms).alarms;

test("L9 a paused run goes on when its alarm rings, with the note, though its supervisor was gone meanwhile", async () => {
  await bench.json(["run", "it", "--agent", "function:agents.mjs#dozes", "--detach", "--id", "sleeper"]);
  await bench.reaches("sleeper", "running");
  await bench.json(["pause", "sleeper"]);
  await bench.reaches("sleeper", "paused");
  const set = await bench.call(["alarm", "sleeper", "--in", "30m", "--note", "look at the build"]);
  assert.match(set.stdout, /sleeper\.a1 rings at .*; the paused run goes on then/);
  const [pending] = await alarms();
  assert.deepEqual([pending?.id, pending?.note, pending?.wakes], ["sleeper.a1", "look at the build", true]);
  const reported = await bench.call(["status", "sleeper"]);
  assert.match(reported.stdout, /alarm\s+sleeper\.a1 rings at .*look at the build/);
  assert.match((await bench.call(["why", "sleeper"])).stdout, /sleeper\.a1 rings at/);
  await bench.json(["alarm", "sleeper", "--in", "1s", "look again"]);
  await bench.json(["down"]);
  await bench.json(["up", "--detach"]);
  await bench.reaches("sleeper", "completed");
  const status = await bench.json(["status", "sleeper"]);
  assert.match(String(status["result"]), /An alarm that \S+ set for .* rings: look again/);
  const { stdout } = await bench.call(["events", "sleeper", "--type", "AlarmRang", "--json"]);
  assert.equal(stdout.trim().split("\n").length, 1);
  const report = await bench.call(["report", "sleeper"]);
  assert.match(report.stdout, /alarm sleeper.*a2 rings/);
  assert.match(report.stdout, /alarm sleeper.*a1 dropped by holdfast: the run is completed/);
});

test("L9 P4 an alarm is taken back by its id, and what cannot be set is said with what is expected", async () => {
  assert.equal(
    (await bench.call(["run", "it", "--agent", "function:agents.mjs#fails", "--id", "stuck"])).code,
    3,
  );
  const set = await bench.call(["alarm", "stuck", "--at", "23:59", "tomorrow"]);
  assert.equal(set.code, 0, set.stderr);
  const taken = await bench.call(["alarm", "stuck.a1", "--cancel"]);
  assert.match(taken.stdout, /stuck\.a1 will not ring/);
  assert.deepEqual(await alarms(), []);
  for (const [words, code, expected] of [
    [["stuck.a1", "--cancel"], 5, /no such pending alarm; pending are: none/],
    [["stuck", "--cancel"], 2, /expected an id such as/],
    [["stuck", "note"], 2, /needs one of --in/],
    [["stuck", "note", "--in", "1m", "--at", "07:30"], 2, /needs one of --in/],
    [["stuck", "--in", "1m"], 2, /needs one note/],
    [["stuck", "--in", "soon", "note"], 2, /"soon" is no duration; expected/],
    [["stuck", "--at", "25:00", "note"], 2, /"25:00" is no time; expected/],
    [["stuck", "--at", "2020-01-01T00:00", "note"], 2, /has passed/],
    [["stuck", "--in", "8d", "note"], 5, /expected a time within/],
    [["nothing", "--in", "1m", "note"], 4, /nothing/],
  ] as const) {
    const call = await bench.call(["alarm", ...words]);
    assert.equal(call.code, code, words.join(" "));
    assert.match(call.stderr, expected);
  }
});
