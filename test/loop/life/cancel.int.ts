import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import type { Run } from "../../../src/loop/workflow-function.ts";
import { isFault } from "../../../src/model/fault.ts";
import { realWorld } from "../../../src/real-world.ts";
import { runProgram } from "../../kill/killed-process.ts";
import { CANCELLED_RUN } from "./cancel-program.ts";
import { never, until, withStore } from "../loop-bench.ts";
import { programOf } from "../program-of.ts";

const PROGRAM = join(import.meta.dirname, "cancel-program.ts");
const isCancelled = (error: unknown): boolean => isFault(error, "cancelled");

test("J5 cancelling reaches every leaf, each of which has its recorded end before the run has its own", () =>
  withStore(async ({ open, read }) => {
    const reported: string[] = [];
    let begun = 0;
    const leaf = async (run: Run, name: string) => {
      run.signal.addEventListener("abort", () => reported.push(name));
      begun += 1;
      if (name === "waits") await run.waitFor("never");
      else if (name === "sleeps") await run.sleep("1h");
      else
        await run.step("works", ({ signal }) => new Promise((_, no) => signal.addEventListener("abort", no)));
    };
    const branch = (run: Run) => run.spawnAll({ waits: [leaf, "waits"], sleeps: [leaf, "sleeps"] });
    const workflow = (run: Run) =>
      Promise.all([
        run.spawn("branch", branch, null),
        run.loop("l", 0, async (state, _, it) => {
          await it.spawn("inner", leaf, "works");
          return { state, done: true };
        }),
        run.spawn("quick", () => "kept", null),
      ]);
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(
      async () =>
        begun === 3 && programOf((await read("r")).state)?.root.records["spawn:quick"]?.kind === "value",
    );
    await hf.cancel("r");
    await assert.rejects(pending, isCancelled);
    assert.deepEqual(reported.sort(), ["sleeps", "waits", "works"]);
    const { events, state } = await read("r");
    const last = events
      .slice(-5)
      .map((event) => (event.type === "BodyChildEnded" ? event.data.key : event.type));
    assert.deepEqual(last, [
      "spawn:branch/spawn:waits",
      "spawn:branch/spawn:sleeps",
      "spawn:branch",
      "loop:l[0]/spawn:inner",
      "RunCancelled",
    ]);
    assert.equal(state.status, "cancelled");
    assert.deepEqual(Object.keys(programOf(state)?.budgets ?? {}), [""]);
  }));

test("J5 a step that ends well although it was cancelled is kept; a workflow function that swallows the news is cancelled all the same", () =>
  withStore(async ({ open, read }) => {
    let begun = false;
    const workflow = async (run: Run) => {
      await run.step(
        "finishes",
        ({ signal }) =>
          new Promise<string>((resolve) => {
            begun = true;
            signal.addEventListener("abort", () => resolve("finished"));
          }),
      );
      await run.step("next", () => 1).catch(() => undefined);
      return "as if nothing was";
    };
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(() => begun);
    await hf.cancel("r");
    await assert.rejects(pending, isCancelled);
    const { state } = await read("r");
    assert.equal(state.status, "cancelled");
    assert.deepEqual(Object.keys(programOf(state)?.root.records ?? {}), ["step:finishes"]);
  }));

test("J5 a cancelled run that is reopened goes on where it was cancelled", () =>
  withStore(async ({ open }) => {
    const ran: string[] = [];
    const child = async (run: Run) => {
      await run.step("a", () => ran.push("a"));
      await run.waitFor("go");
      return run.step("b", () => ran.push("b"));
    };
    const workflow = (run: Run) => run.spawn("child", child, null);
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(() => ran.length === 1);
    await hf.cancel("r");
    await assert.rejects(pending, isCancelled);
    await hf.reopen("r");
    const again = hf.run("r", workflow);
    await hf.signal("r", "go", 1);
    assert.equal(await again, 2);
    assert.deepEqual(ran, ["a", "b"]);
  }));

test("J5 a cancel that was asked for while no process worked the run ends it without running anything", () =>
  withStore(async ({ open }) => {
    let entered = 0;
    const workflow = async (run: Run) => {
      entered += 1;
      await run.step("s", () => 1);
      await never();
    };
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(() => entered === 1);
    await hf.close();
    await assert.rejects(pending);
    const other = await open();
    await other.cancel("r");
    await assert.rejects(other.run("r", workflow), isCancelled);
    assert.equal(entered, 1);
  }));

async function eventsOf(folder: string) {
  const journal = await openSqliteJournal({ file: join(folder, "agents.db"), world: realWorld() });
  const events = await journal.read(CANCELLED_RUN, { after: 0, limit: 10_000 });
  await journal.close();
  return events;
}

/** A program that dies at that point, and then lives once undisturbed. */
async function killedAt(how: string, point: string): Promise<{ folder: string; ended: string }> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-cancel-"));
  const first = await runProgram(PROGRAM, [folder, how], { env: { HOLDFAST_CRASH_AT: point } });
  assert.equal(first.signal, "SIGKILL", `${how} does not pass ${point}: ${first.output}`);
  const second = await runProgram(PROGRAM, [folder, how]);
  assert.equal(second.code, 0, second.output);
  return { folder, ended: second.output };
}

test("J5 a process killed in the middle of cancelling finishes that on its next start and runs nothing further", async () => {
  const { folder, ended } = await killedAt("cancel", "loop.cancel.before#1");
  try {
    assert.equal(ended, "cancelled");
    const done = readFileSync(join(folder, "done"), "utf8").trim().split("\n").sort();
    assert.deepEqual(done, [...new Set(done)], "nothing was run again");
    const events = await eventsOf(folder);
    const claims = events.flatMap((event, index) => (event.type === "RunClaimed" ? [index] : []));
    const after = events.slice((claims.at(-1) ?? 0) + 1).map((event) => event.type);
    assert.deepEqual(new Set(after), new Set(["BodyChildEnded", "RunCancelled"]));
    assert.equal(after.at(-1), "RunCancelled");
    assert.equal((await runProgram(PROGRAM, [folder, "cancel"])).output, "cancelled");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("J5 a process killed right after it recorded a cancellation finds the run cancelled, and writes nothing more", async () => {
  const { folder, ended } = await killedAt("cancel", "loop.cancel.after#1");
  try {
    assert.equal(ended, "cancelled");
    const types = (await eventsOf(folder)).map((event) => event.type);
    assert.deepEqual(
      [types.at(-1), types.filter((type) => type === "RunCancelled").length],
      ["RunCancelled", 1],
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("J5 a process killed around a restart charges the restart once and the kill not at all", async () => {
  for (const point of ["loop.restart.before#1", "loop.restart.after#2"]) {
    const { folder, ended } = await killedAt("restart", point);
    try {
      assert.match(ended, /^broken \d$/);
      const attempts = (await eventsOf(folder)).flatMap((event) =>
        event.type === "BodySpawned" ? [event.data.attempt] : [],
      );
      assert.deepEqual(attempts, [1, 2, 3], point);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
});

test("J5 a process killed right after a group failed leaves no sibling to be run again", async () => {
  // The append after the two steps is the group's end: killed behind it, all ends are there at once.
  for (const nth of [3, 4, 5]) {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-cancel-"));
    try {
      const env = { HOLDFAST_CRASH_AT: `journal.append.after#${String(nth)}` };
      await runProgram(PROGRAM, [folder, "fail-fast"], { env });
      const events = await eventsOf(folder);
      const ends = events.filter((event) => event.type === "BodyChildEnded").length;
      assert.ok(ends === 0 || ends === 2, `after append ${String(nth)} there are ${String(ends)} ends`);
      const before = readFileSync(join(folder, "done"), "utf8").split("\n").filter(Boolean).length;
      assert.equal((await runProgram(PROGRAM, [folder, "fail-fast"])).output, "broken");
      const after = readFileSync(join(folder, "done"), "utf8").split("\n").filter(Boolean).length;
      if (ends === 2) assert.equal(after, before, "what was settled ran again");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
});
