import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { ContinuousView } from "../../../src/views/continuous/continuous-view.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import { withStore } from "../../api/writes/written-store.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(0);

const LIMIT_MS = 120_000;
const DONE = JSON.stringify({
  attempts: [
    [
      { do: "say", text: "{task}" },
      { do: "claim", ok: true, text: "done" },
    ],
  ],
});
const FILES = {
  "works.json": DONE,
  "often.yaml": `agent: "demo:./works.json"
goals:
  - { id: mail, goal: sort the mail, everyMs: 1s }
  - { id: leap, goal: celebrate, cron: "0 0 29 2 *" }
`,
  "holdfast.yaml": `startup: { termGraceMs: 500 }
supervisor: { idleExitMs: 60000, scanMs: 100 }
`,
};

const journalOf = (bench: CliBench): Promise<Recorded[]> =>
  withStore(`sqlite:${bench.store}`, async ({ ports: { journal } }) => [
    ...(await journal.read("continuous:often", { after: 0, limit: 10_000 })),
  ]);
const count = (events: readonly Recorded[], type: Recorded["type"]): number =>
  events.filter((event) => event.type === type).length;

async function until(bench: CliBench, holds: (events: Recorded[]) => boolean): Promise<Recorded[]> {
  for (const end = Date.now() + LIMIT_MS; ; await delay(100)) {
    const events = await journalOf(bench);
    if (holds(events)) return events;
    assert.ok(Date.now() < end, JSON.stringify(events.map(({ type }) => type)));
  }
}

test("G14 schedules go on after the supervisor was killed, a stop outranks them, also in the next supervisor, and each time comes once", async () => {
  const bench = new CliBench(FILES);
  try {
    const begun = await bench.json<{ supervisor: { pid: number } }>(["continuous", "often.yaml"]);
    await until(bench, (events) => count(events, "GoalTriggered") >= 2);
    process.kill(begun.supervisor.pid, "SIGKILL");
    const before = count(await journalOf(bench), "GoalTriggered");
    const next = await bench.json<typeof begun>(["up", "--detach", "--no-http"]);
    assert.notEqual(next.supervisor.pid, begun.supervisor.pid);
    await until(bench, (events) => count(events, "GoalTriggered") > before + 1);
    await bench.json(["continuous", "stop"]);
    process.kill(next.supervisor.pid, "SIGKILL");
    await bench.json(["up", "--detach", "--no-http"]);
    // A run of its own shows that this supervisor has looked at the store, well after the next time of the schedule.
    await delay(1_500);
    const ran = await bench.call([
      "run",
      "hello",
      "--agent",
      "demo",
      "--in-place",
      "--detach",
      "--id",
      "beside",
    ]);
    assert.equal(ran.code, 0, ran.stderr);
    await bench.reaches("beside", "completed");
    const stopped = (await journalOf(bench)).at(-1)?.type;
    assert.ok(stopped === "ContinuousStopped" || stopped === "GoalSeen" || stopped === "GoalEnded", stopped);
    await bench.json<ContinuousView>(["continuous", "resume"]);
    const events = await until(
      bench,
      (all) =>
        count(all.slice(all.findIndex(({ type }) => type === "ContinuousResumed")), "GoalTriggered") >= 1,
    );
    const [from, to] = ["ContinuousStopped", "ContinuousResumed"].map((type) =>
      events.findIndex((event) => event.type === type),
    );
    const between = events.slice(from, to).map(({ type }) => type);
    assert.deepEqual(
      between.filter((type) => type === "GoalTriggered" || type === "GoalIssued"),
      [],
    );
    const times = events.flatMap((event) => (event.type === "GoalTriggered" ? [event.data.goal] : []));
    assert.deepEqual(times, [...new Set(times)], "each time once");
    assert.ok(
      times.every((id) => id.startsWith("mail.")),
      "the leap day has not come",
    );
    await bench.json(["continuous", "stop"]);
  } finally {
    await bench.close();
  }
});
