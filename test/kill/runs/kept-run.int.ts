import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Journal } from "../../../src/journal/journal.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import { realWorld } from "../../../src/real-world.ts";
import { loadRun } from "../../../src/runtime/load-run.ts";
import { KEPT_RUN, RULES } from "./kept-run.ts";
import { count, strikeBoundaries, wrong } from "../strike-boundaries.ts";

async function violations(folder: string): Promise<string[]> {
  const tree = join(folder, "tree");
  const journal = await openSqliteJournal({ file: join(folder, "journal.db"), world: realWorld() });
  try {
    const events = await journal.read(KEPT_RUN, { after: 0, limit: 100_000 });
    const read = (name: string): string => readFileSync(join(tree, name), "utf8");
    return [
      ...wrong("the files", readdirSync(tree).sort(), ["RULES.md", "one", "two"]),
      ...wrong("the protected file", read("RULES.md"), RULES),
      ...wrong("the work", [read("one"), read("two")], ["2\n", "2\n"]),
      ...wrong("times done", timesDone(events), { first: 1, second: 2 }),
      ...wrong("outputs accepted", registered(events), [createHash("sha256").update("1\n").digest("hex")]),
      ...wrong("outputs handed on", handed(events), registered(events)),
      ...wrong("restores", count(events, "RunRestored"), 1),
      ...wrong("ends", count(events, "RunCompleted"), 2),
      ...wrong("checkpoints kept", (await keptIn(journal)).slice(-2), lastTaken(events)),
      ...wrong("checkpoints of one name", doubled(events), []),
      ...wrong(
        "charged",
        events.filter(({ type, data }) => type === "AttemptEnded" && data.charged).length,
        0,
      ),
      ...wrong("damage", await journal.verify(), []),
    ];
  } finally {
    await journal.close();
  }
}

function timesDone(events: readonly Recorded[]): Record<string, number> {
  const times: Record<string, number> = {};
  for (const { type, data } of events)
    if (type === "StepSucceeded") times[data.step] = (times[data.step] ?? 0) + 1;
  return times;
}

const registered = (events: readonly Recorded[]): string[] =>
  events.flatMap(({ type, data }) =>
    type === "ArtifactsRegistered" ? data.artifacts.map(({ digest }) => digest) : [],
  );

/** Whatever was started again was given the same. */
const handed = (events: readonly Recorded[]): string[] => [
  ...new Set(
    events.flatMap(({ type, data }) =>
      type === "EffectIntended" && data.effect.kind === "StartAgent"
        ? (data.effect.artifacts ?? []).map(({ digest }) => digest)
        : [],
    ),
  ),
];

/** Those that the run can still be put back to; nothing is left half freed. */
async function keptIn(journal: Journal): Promise<string[]> {
  const state = await loadRun(journal, KEPT_RUN);
  assert.deepEqual(state?.releasing, []);
  return Object.keys(state.checkpoints);
}

const lastTaken = (events: readonly Recorded[]): string[] =>
  events.flatMap(({ type, data }) => (type === "CheckpointTaken" ? [data.checkpoint] : [])).slice(-2);

const doubled = (events: readonly Recorded[]): string[] => {
  const ids = events.flatMap(({ type, data }) => (type === "CheckpointTaken" ? [data.checkpoint] : []));
  return ids.filter((id, at) => ids.indexOf(id) !== at);
};

test("W2 W3 W9 W10 a supervisor killed at any boundary of a checkpoint, a restore, a delivery or an undoing leaves no half state: the next start finishes it", (t) =>
  strikeBoundaries(t, {
    program: "runs/kept-run.ts",
    watched:
      /^(effect\.(GuardFiles|CollectOutputs|TakeCheckpoint|ReleaseCheckpoints|RestoreCheckpoint)|workspace|protected|artifacts)\./,
    telling: [
      "effect.TakeCheckpoint.after",
      "effect.RestoreCheckpoint.after",
      "artifacts.kept",
      "workspace.release.records",
      "protected.bring.before",
      "workspace.snapshot.verified",
      "workspace.restore.write",
    ],
    atOnce: 3,
    violations,
  }));
