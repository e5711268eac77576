import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Recorded } from "../../src/model/events/events.ts";
import { runProgram } from "./killed-process.ts";
import { KILL_ALL, KILL_SEED, killSample, partOf, sampled } from "./kill-sample.ts";
import { STRUCK_BY } from "./struck-points.ts";

export interface Struck {
  /** A file of this folder; started on a folder it works, and started again on the same it goes on. */
  readonly program: string;
  /** Boundaries that belong to what is proved here. */
  readonly watched: RegExp;
  /** Of these, the most telling ones: each has to be passed, and a sample of them is struck once in `npm test`. */
  readonly telling: readonly string[];
  /** Further passages that are struck in any case, as `name#n`, found in the trace of an undisturbed life. */
  readonly also?: (trace: readonly string[]) => readonly string[];
  readonly atOnce: number;
  /** How long one life may take. */
  readonly limitMs?: number;
  /** What is wrong with what a life has left, in words; nothing where all is well. */
  readonly violations: (folder: string) => Promise<readonly string[]>;
}

const LIMIT_MS = 180_000;

/** Kills the program at each boundary, once per life, and has the next start finish what was begun. */
export async function strikeBoundaries(t: TestContext, struck: Struck): Promise<void> {
  const { points, of } = await boundaries(struck);
  const queue = [...points];
  const bad: string[] = [];
  let reached = 0;
  const worker = async (): Promise<void> => {
    for (let point = queue.shift(); point !== undefined; point = queue.shift()) {
      const kill = await killAt(struck, point);
      if (kill.reached) reached += 1;
      bad.push(...kill.found.map((text) => `${point}: ${text}`));
    }
  };
  await Promise.all(Array.from({ length: struck.atOnce }, worker));
  t.diagnostic(
    `${String(points.length)} boundaries, ${String(reached)} kills, ${String(bad.length)} violations, seed ${String(KILL_SEED)}`,
  );
  if (!KILL_ALL) t.diagnostic(killSample(points.length, of));
  assert.deepEqual(bad, [], `seed ${String(KILL_SEED)} (HOLDFAST_KILL_SEED)`);
  assert.ok(
    reached >= points.length * 0.9,
    `only ${String(reached)} of ${String(points.length)} were reached`,
  );
}

function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-struck-"));
  return work(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}

const live = ({ program, limitMs = LIMIT_MS }: Struck, folder: string, env: Record<string, string>) =>
  runProgram(join(import.meta.dirname, program), [folder], { env, limitMs });

const boundaries = (struck: Struck): Promise<{ points: string[]; of: number }> =>
  inFolder(async (folder) => {
    const file = join(folder, "trace");
    const ended = await live(struck, folder, { HOLDFAST_CRASH_TRACE: file });
    assert.equal(ended.code, 0, `the undisturbed run must end well: ${ended.output}`);
    assert.deepEqual(await struck.violations(folder), []);
    const trace = readFileSync(file, "utf8").split("\n").filter(Boolean);
    const passed = new Map<string, number>();
    for (const name of trace) if (struck.watched.test(name)) passed.set(name, (passed.get(name) ?? 0) + 1);
    const ours = STRUCK_BY[`kill/${struck.program.replace(/\.ts$/, ".int.ts")}`] ?? [];
    for (const needed of [...struck.telling, ...ours])
      assert.ok(passed.has(needed), `the run no longer passes ${needed}`);
    const message = new Set(sampled(struck.telling));
    const defaults = [...passed].flatMap(([name, times]) => {
      if (KILL_ALL) return Array.from({ length: times }, (_, at) => `${name}#${String(at + 1)}`);
      return message.has(name) ? [`${name}#${String(Math.ceil(times / 2))}`] : [];
    });
    const of = [...passed.values()].reduce((sum, times) => sum + times, 0);
    const all = [...new Set([...defaults, ...(struck.also?.(trace) ?? [])])];
    return { points: KILL_ALL ? [...partOf(all)] : all, of };
  });

const killAt = (
  struck: Struck,
  point: string,
): Promise<{ readonly reached: boolean; readonly found: readonly string[] }> =>
  inFolder(async (folder) => {
    const killed = await live(struck, folder, { HOLDFAST_CRASH_AT: point });
    const again = await live(struck, folder, {});
    const ended =
      again.code === 0
        ? []
        : [`the next start ended with ${String(again.code ?? again.signal)}: ${again.output}`];
    return { reached: killed.signal === "SIGKILL", found: [...ended, ...(await struck.violations(folder))] };
  });

/** The first passage of a boundary after another line of the trace, as `name#n`; nothing where it is not passed there. */
export function passageAfter(trace: readonly string[], after: number, name: string): string[] {
  const at = trace.indexOf(name, after);
  return at === -1 ? [] : [`${name}#${String(trace.slice(0, at + 1).filter((one) => one === name).length)}`];
}

/** What was found where something else was expected, in words. */
export const wrong = (what: string, found: unknown, wanted: unknown): string[] =>
  JSON.stringify(found) === JSON.stringify(wanted)
    ? []
    : [`${what}: ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`];

export const count = (events: readonly Recorded[], wanted: Recorded["type"]): number =>
  events.filter(({ type }) => type === wanted).length;
