import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { Recorded } from "../../src/model/events.ts";
import { realWorld } from "../../src/real-world.ts";
import { plainGit } from "../workspace/plain-git.ts";
import { ACCEPTED_RUN } from "./accepted-run.ts";
import { runProgram } from "./killed-process.ts";

const PROGRAM = join(import.meta.dirname, "accepted-run.ts");
const AT_ONCE = 2;
const LIMIT_MS = 180_000;
/** `HOLDFAST_KILL_ALL=1` strikes every passage of every boundary; otherwise the most telling ones are struck once. */
const ALL = process.env["HOLDFAST_KILL_ALL"] === "1";
const STRUCK = [
  "effect.CreateWorktree.after",
  "workspace.hold.taken",
  "workspace.commit.moved",
  "workspace.take-in.write",
  "workspace.take-in.branch",
  "workspace.removal.cleared",
];
const WATCHED =
  /^(effect\.(CreateWorktree|HoldTree|FreeTree|RunInTree|CommitWork|AcceptWork|RemoveWorktree)|workspace\.(hold|worktree|commit|take-in|removal))\./;

function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-accepted-"));
  return work(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}

const boundaries = (): Promise<string[]> =>
  inFolder(async (folder) => {
    const trace = join(folder, "trace");
    const env = { HOLDFAST_CRASH_TRACE: trace };
    const ended = await runProgram(PROGRAM, [folder], { env, limitMs: LIMIT_MS });
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

/** What must hold whatever was killed: two commits, in the user's branch, and nothing else anywhere. */
async function violations(folder: string): Promise<string[]> {
  const project = join(folder, "project");
  const git = (...args: string[]): string => plainGit(project, args).trim();
  const journal = await openSqliteJournal({ file: join(folder, "journal.db"), world: realWorld() });
  try {
    const events = await journal.read(ACCEPTED_RUN, { after: 0, limit: 100_000 });
    const tree = events.flatMap(({ type, data }) => (type === "WorktreeCreated" ? [data.tree] : []))[0] ?? "";
    const wrong = (what: string, found: unknown, wanted: unknown): string[] =>
      JSON.stringify(found) === JSON.stringify(wanted)
        ? []
        : [`${what}: ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`];
    return [
      ...wrong("commits", git("log", "--format=%s", "main").split("\n"), [
        "two: be accepted",
        "one: be accepted",
        "begin",
      ]),
      ...wrong("files", git("ls-tree", "-r", "--name-only", "main").split("\n"), ["README", "one", "two"]),
      ...wrong("the user's tree", git("status", "--porcelain"), "?? draft"),
      ...wrong("tags", git("tag", "--list").split("\n"), ["good/accepted/one", "good/accepted/two"]),
      ...wrong("the worktree", existsSync(tree), false),
      ...wrong("git's worktrees", git("worktree", "list").split("\n").length, 1),
      ...wrong("repository", git("fsck", "--strict"), ""),
      ...wrong("steps done", count(events, "StepSucceeded"), 2),
      ...wrong("accepted", count(events, "WorkAccepted"), 1),
      ...wrong("removed", count(events, "WorktreeRemoved"), 1),
      ...wrong("blocked", count(events, "RunBlocked"), 0),
      ...wrong("damage", await journal.verify(), []),
    ];
  } finally {
    await journal.close();
  }
}

const count = (events: readonly Recorded[], wanted: Recorded["type"]): number =>
  events.filter(({ type }) => type === wanted).length;

const killAt = (point: string): Promise<{ readonly reached: boolean; readonly found: readonly string[] }> =>
  inFolder(async (folder) => {
    const env = { HOLDFAST_CRASH_AT: point };
    const killed = await runProgram(PROGRAM, [folder], { env, limitMs: LIMIT_MS });
    const again = await runProgram(PROGRAM, [folder], { limitMs: LIMIT_MS });
    const ended =
      again.code === 0
        ? []
        : [`the next start ended with ${String(again.code ?? again.signal)}: ${again.output}`];
    return { reached: killed.signal === "SIGKILL", found: [...ended, ...(await violations(folder))] };
  });

test("W1 W5 W11 a supervisor killed at any boundary of a worktree, a commit, an acceptance or a clean-up leaves no half state: the next start finishes it", async (t) => {
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
