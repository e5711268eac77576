import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Journal } from "../../src/journal/journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { Recorded } from "../../src/model/events.ts";
import { realWorld } from "../../src/real-world.ts";
import { loadRun } from "../../src/runtime/load-run.ts";
import { runProgram } from "./killed-process.ts";
import { KEPT_RUN, RULES } from "./kept-run.ts";

const PROGRAM = join(import.meta.dirname, "kept-run.ts");
const AT_ONCE = 3;
const LIMIT_MS = 120_000;
/** `HOLDFAST_KILL_ALL=1` strikes every passage of every boundary; otherwise the most telling ones are struck once. */
const ALL = process.env["HOLDFAST_KILL_ALL"] === "1";
const STRUCK = [
  "effect.TakeCheckpoint.after",
  "effect.RestoreCheckpoint.after",
  "artifacts.kept",
  "workspace.release.records",
  "protected.bring.before",
  "workspace.snapshot.verified",
  "workspace.restore.write",
];
const WATCHED =
  /^(effect\.(GuardFiles|CollectOutputs|TakeCheckpoint|ReleaseCheckpoints|RestoreCheckpoint)|workspace|protected|artifacts)\./;

function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-kept-"));
  return work(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}

/** The boundaries around kept files that an undisturbed run passes. */
const boundaries = (): Promise<string[]> =>
  inFolder(async (folder) => {
    const trace = join(folder, "trace");
    const ended = await runProgram(PROGRAM, [folder], {
      env: { HOLDFAST_CRASH_TRACE: trace },
      limitMs: LIMIT_MS,
    });
    assert.equal(ended.code, 0, `the undisturbed run must end well: ${ended.output}`);
    assert.deepEqual(await violations(folder), []);
    const passed = new Map<string, number>();
    for (const name of readFileSync(trace, "utf8").split("\n"))
      if (WATCHED.test(name)) passed.set(name, (passed.get(name) ?? 0) + 1);
    for (const needed of STRUCK) assert.ok(passed.has(needed), `the run no longer passes ${needed}`);
    return [...passed].flatMap(([name, times]) => {
      if (ALL) return Array.from({ length: times }, (_, at) => `${name}#${String(at + 1)}`);
      return STRUCK.includes(name) ? [`${name}#${String(Math.ceil(times / 2))}`] : [];
    });
  });

async function violations(folder: string): Promise<string[]> {
  const tree = join(folder, "tree");
  const journal = await openSqliteJournal({ file: join(folder, "journal.db"), world: realWorld() });
  try {
    const events = await journal.read(KEPT_RUN, { after: 0, limit: 100_000 });
    const read = (name: string): string => readFileSync(join(tree, name), "utf8");
    const wrong = (what: string, found: unknown, wanted: unknown): string[] =>
      JSON.stringify(found) === JSON.stringify(wanted)
        ? []
        : [`${what}: ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`];
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

const count = (events: readonly Recorded[], wanted: Recorded["type"]): number =>
  events.filter(({ type }) => type === wanted).length;

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

const killAt = (point: string): Promise<{ readonly reached: boolean; readonly found: readonly string[] }> =>
  inFolder(async (folder) => {
    const killed = await runProgram(PROGRAM, [folder], {
      env: { HOLDFAST_CRASH_AT: point },
      limitMs: LIMIT_MS,
    });
    const again = await runProgram(PROGRAM, [folder], { limitMs: LIMIT_MS });
    const ended =
      again.code === 0
        ? []
        : [`the next start ended with ${String(again.code ?? again.signal)}: ${again.output}`];
    return { reached: killed.signal === "SIGKILL", found: [...ended, ...(await violations(folder))] };
  });

test("W2 W3 W9 W10 a supervisor killed at any boundary of a checkpoint, a restore, a delivery or an undoing leaves no half state: the next start finishes it", async (t) => {
  const points = await boundaries();
  const queue = [...points];
  const bad: string[] = [];
  let reached = 0;
  const worker = async (): Promise<void> => {
    for (let point = queue.shift(); point !== undefined; point = queue.shift()) {
      const kill = await killAt(point);
      if (kill.reached) reached += 1;
      bad.push(...kill.found.map((text) => `${point}: ${text}`));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  t.diagnostic(
    `${String(points.length)} boundaries, ${String(reached)} kills, ${String(bad.length)} violations`,
  );
  assert.deepEqual(bad, []);
  assert.ok(
    reached >= points.length * 0.9,
    `only ${String(reached)} of ${String(points.length)} were reached`,
  );
});
