import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { openSystem, type System } from "../../src/main.ts";
import type { RunRequest } from "../../src/model/requests/requests.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../src/model/settings/settings.ts";
import { plainGit } from "../workspace/plain-git.ts";

const STEPS = 9;
const BYTES = 100_000;

interface Kept {
  readonly system: System;
  readonly tree: string;
  readonly folder: string;
}

/** A run whose steps each write the same file again: what the last one overwrote is in checkpoints alone. */
async function aSystem(t: TestContext): Promise<Kept> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-retention-"));
  const tree = path.join(folder, "tree");
  mkdirSync(tree);
  const settings = hostSettingsSchema.parse({ supervisor: { scanMs: 20 } });
  const store = `sqlite:${path.join(folder, "journal.db")}`;
  const writes = ({ cwd }: { readonly cwd: string }) => {
    writeFileSync(path.join(cwd, "file"), randomBytes(BYTES));
    return "done";
  };
  const system = await openSystem({ store, settings, functions: new Map([["writes", writes]]) });
  t.after(async () => {
    await system.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { system, tree, folder };
}

async function work(
  { system, tree }: Kept,
  id: string,
  keep: number,
  { count = STEPS, ...more }: Record<string, unknown> & { readonly count?: number } = {},
): Promise<RunState> {
  const steps = Array.from({ length: count }, (_, at) => ({
    name: `s${String(at)}`,
    task: "write",
    agent: "writes",
    needs: at === 0 ? [] : [`s${String(at - 1)}`],
    authority: "writes" as const,
    checks: [],
  }));
  const held = await system.createRun({
    id,
    goal: "write",
    flow: { name: "many", steps, phases: [] },
    agents: { writes: { use: "function", export: "writes" } },
    settings: runSettingsSchema.parse({ checkpoints: { when: "always", keep }, ...more }),
    budget: {},
    cwd: tree,
    by: "test",
  });
  await system.supervisor({ only: id, held }).work();
  return known(system, id);
}

async function known(system: System, id: string): Promise<RunState> {
  const state = await system.loadRun(id);
  assert.ok(state !== null);
  return state;
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

/** All bytes of git's own in the store of snapshots. */
const packed = ({ folder }: Kept): number =>
  filesIn(folder)
    .filter((file) => file.includes("-trees") && file.includes("/objects/"))
    .reduce((sum, file) => sum + statSync(file).size, 0);

const gitDirs = ({ folder }: Kept): string[] =>
  filesIn(folder)
    .filter(
      (file) => file.includes("-trees") && path.basename(file) === "HEAD" && !file.includes("/removed-"),
    )
    .map((file) => path.dirname(file));

async function ask({ system }: Kept, run: string, request: RunRequest): Promise<void> {
  const { journal, world } = system.ports;
  await journal.ask({ id: world.id("req"), address: run, request, by: "test", at: world.now() });
  await system.supervisor({ only: run }).work();
}

test("W2 an ended run keeps its last checkpoints; older ones are let go, the store shrinks, and what is kept is whole", async (t) => {
  const bench = await aSystem(t);
  const all = await work(bench, "all", 100);
  const grown = packed(bench);
  assert.equal(Object.keys(all.checkpoints).length, STEPS + 1);
  assert.ok(grown > STEPS * BYTES, "each step's file is kept");

  const few = await work(bench, "few", 2);
  assert.equal(few.status, "completed");
  // The first is what a commit after the fact is counted from.
  assert.deepEqual(Object.keys(few.checkpoints), ["c1", "c9", "c10"]);
  assert.deepEqual([few.releasing, few.releaseFailures], [[], 0]);
  const added = packed(bench) - grown;
  assert.ok(added < 4 * BYTES, `${String(added)} bytes are left of ${String(STEPS * BYTES)}`);
  for (const gitDir of gitDirs(bench))
    execFileSync("git", ["--git-dir", gitDir, "fsck", "--full", "--strict"]);

  const place = { project: bench.tree, tree: bench.tree };
  const { workspace } = bench.system.ports;
  const last = few.checkpoints["c10"]?.snapshot.id ?? "";
  const old = all.checkpoints["c2"]?.snapshot.id ?? "";
  assert.equal((await workspace.compare(place, old, last)).count, 1, "what others keep is still there");
});

test("W2 W3 of an ended run what a person asked to be kept, and what a restore has overwritten, is not let go", async (t) => {
  const bench = await aSystem(t);
  await work(bench, "run", 3);
  writeFileSync(path.join(bench.tree, "file"), "a person's own\n");
  await ask(bench, "run", { kind: "restore" });
  await ask(bench, "run", { kind: "checkpoint", note: "mine" });
  const asked = Object.values((await known(bench.system, "run")).checkpoints).find(
    ({ cause }) => cause === "asked",
  );
  await ask(bench, "run", { kind: "retry", step: "s0" });
  for (const step of ["s1", "s2", "s3", "s4"]) {
    await ask(bench, "run", { kind: "reopen" });
    await ask(bench, "run", { kind: "retry", step });
  }
  const { status, checkpoints } = await known(bench.system, "run");
  assert.equal(status, "completed");
  const kept = Object.values(checkpoints);
  assert.ok(kept.some(({ id }) => id === asked?.id));
  const before = kept.find(({ cause }) => cause === "before_restore");
  assert.equal(kept.length, 6, kept.map(({ id, cause }) => `${id} ${cause}`).join(", "));
  await ask(bench, "run", { kind: "restore", checkpoint: before?.id ?? "" });
  assert.equal(readFileSync(path.join(bench.tree, "file"), "utf8"), "a person's own\n");
});

test("W3 a checkpoint that was let go is refused by name", async (t) => {
  const bench = await aSystem(t);
  await work(bench, "run", 2);
  await ask(bench, "run", { kind: "restore", checkpoint: "c2" });
  const events = await bench.system.ports.journal.read("run", { after: 0, limit: 10_000 });
  const answers = events.flatMap(({ type, data }) => (type === "RequestAnswered" ? [data.answer.text] : []));
  assert.match(answers.at(-1) ?? "", /there is no checkpoint c2; there are: c1, c9, c10/);
});

/** The keys of all snapshots that the stores hold records of. */
const keysIn = ({ folder }: Kept): string[] =>
  filesIn(folder)
    .filter((file) => file.includes("-trees") && path.basename(file) === "state.db")
    .flatMap((file) => {
      const db = new DatabaseSync(file, { readOnly: true });
      try {
        return db
          .prepare("SELECT key FROM snapshot")
          .all()
          .map((row) => String(row["key"]));
      } finally {
        db.close();
      }
    });

test("W1 W2 of an ended run with a worktree per attempt the snapshots of its joins are let go, but for the one that changes are counted from", async (t) => {
  const bench = await aSystem(t);
  const { tree, system } = bench;
  writeFileSync(path.join(tree, "file"), "");
  plainGit(tree, ["init", "-q", "-b", "main"]);
  plainGit(tree, ["add", "."]);
  plainGit(tree, ["commit", "-qm", "begin"]);
  const ended = await work(bench, "apart", 1, {
    count: 2,
    workspace: { isolation: "attempt" },
    commit: { author: "Ada <ada@example.invalid>" },
  });
  assert.equal(ended.status, "completed");
  const [last, ...others] = ended.workspace.joins;
  assert.ok(last !== undefined);
  assert.deepEqual(others, []);
  assert.equal(last.snapshot, ended.workspace.commit.base?.snapshot);
  const keys = keysIn(bench);
  assert.deepEqual(
    keys.filter((key) => /\/(kept|after)$/.test(key)),
    [`apart/${last.key}`],
  );
  // The trees of the steps are gone: all that was in them stays.
  assert.equal(keys.filter((key) => key.endsWith("/last/1")).length, 2);
  for (const gitDir of gitDirs(bench))
    execFileSync("git", ["--git-dir", gitDir, "fsck", "--full", "--strict"]);

  // The run goes on from what is kept: what its agents change next is counted from there.
  await ask(bench, "apart", { kind: "reopen" });
  await ask(bench, "apart", { kind: "retry", step: "s1" });
  const again = await known(system, "apart");
  assert.deepEqual([again.status, again.blocked], ["completed", null]);
  assert.notEqual(again.workspace.joins[0]?.key, last.key);
  assert.equal(keysIn(bench).filter((key) => /\/(kept|after)$/.test(key)).length, 1);
});
