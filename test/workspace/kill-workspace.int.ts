import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { World } from "../../src/model/world.ts";
import { realWorld } from "../../src/real-world.ts";
import { runProgram } from "../kill/killed-process.ts";
import { lifeProblems } from "./life-checks.ts";
import { finished, liveOn } from "./workspace-life.ts";

const PROGRAM = path.join(import.meta.dirname, "life-program.ts");

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-life-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

class Cut extends Error {}

/** A world that ends the call at the first boundary where no call was ended before: nothing after it is done. */
function cutOnce(folder: string, seen: Set<string>): World {
  const passed = new Map<string, number>();
  return {
    ...realWorld(),
    crashPoint: (name) => {
      const at = `${String(finished(folder))} ${name}`;
      passed.set(at, (passed.get(at) ?? 0) + 1);
      const boundary = `${at} ${String(passed.get(at))}`;
      if (seen.has(boundary)) return;
      seen.add(boundary);
      throw new Cut(boundary);
    },
  };
}

test("W3 W5 W11 a life cut off at every boundary of snapshot, restore, worktree, commit, clean-up and release is lived on to the same end", async (t) => {
  const folder = newFolder(t);
  const cuts = new Set<string>();
  for (let over = false; !over;) {
    try {
      await liveOn(folder, cutOnce(folder, cuts));
      over = true;
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
    }
  }
  assert.deepEqual(await lifeProblems(folder, realWorld()), []);
  const names = new Set([...cuts].map((boundary) => boundary.split(" ")[1]));
  assert.ok(names.size >= 20, [...names].join(", "));
  t.diagnostic(`${String(cuts.size)} cuts at ${String(names.size)} boundaries`);
});

const KILLED_AT = [
  "workspace.snapshot.imported#2",
  "workspace.restore.remove#1",
  "workspace.restore.write#2",
  "workspace.worktree.record#1",
  "workspace.commit.moved#1",
  "workspace.removal.copied#1",
];

test("W3 W5 W11 a process killed with SIGKILL inside each order leaves nothing half done for the next", async (t) => {
  const folder = newFolder(t);
  for (const at of KILLED_AT) {
    const ended = await runProgram(PROGRAM, [folder], { env: { HOLDFAST_CRASH_AT: at }, limitMs: 120_000 });
    assert.equal(ended.signal, "SIGKILL", `${at}: ${ended.output}`);
  }
  const ended = await runProgram(PROGRAM, [folder], { limitMs: 120_000 });
  assert.equal(ended.code, 0, ended.output);
  assert.deepEqual(await lifeProblems(folder, realWorld()), []);
  assert.equal(readFileSync(path.join(folder, "progress")).length, 7);
});
