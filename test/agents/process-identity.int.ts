import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { test } from "node:test";
import { identify, isSignalable, livenessOf } from "../../src/agents/process-identity.ts";
import { parseProcStat, parsePsLine, readProcess } from "../../src/agents/process-table.ts";

const STAT_TAIL = "S 7 40 41 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 100 200";

test("A3 a process keeps its identity while it lives and is gone after it ended", async () => {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  const identity = identify(child.pid ?? 0);
  assert.ok(typeof identity === "object");
  assert.deepEqual(identify(child.pid ?? 0), identity);
  assert.equal(livenessOf(identity), "alive");
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(livenessOf(identity), "gone");
});

test("A3 T28 a living process with another start time is a stranger under a reused pid", () => {
  const self = identify(process.pid);
  assert.ok(typeof self === "object");
  assert.equal(livenessOf(self), "alive");
  assert.equal(livenessOf({ ...self, startedAt: `${self.startedAt}0` }), "gone");
});

test("A3 the same ticks after another boot are another process", () => {
  const before = parseProcStat(`1 (a) ${STAT_TAIL}`, "boot-1");
  const after = parseProcStat(`1 (a) ${STAT_TAIL}`, "boot-2");
  assert.ok(before !== "unknown" && after !== "unknown");
  assert.notEqual(before.startedAt, after.startedAt);
});

test("A4 nothing is said about a process of another host", () => {
  assert.equal(livenessOf({ host: `not-${hostname()}`, pid: process.pid, startedAt: "1" }), "unknown");
});

test(
  "A4 a process that ended and was not yet collected counts as gone",
  { skip: process.platform !== "linux" },
  async (t) => {
    // What the shell becomes never waits for the child, which therefore stays a zombie. The child must live until then.
    const shell = spawn("sh", ["-c", "sleep 0.5 & echo $!; exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    t.after(() => shell.kill("SIGKILL"));
    const [line] = (await once(shell.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    while (true) {
      const row = readProcess(pid);
      assert.ok(typeof row === "object", "the child is still there to be collected");
      if (row.zombie) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(identify(pid), "gone");
    shell.kill("SIGKILL");
    await once(shell, "exit");
  },
);

test("A3 a process name with spaces, parentheses and digits does not confuse its start time", () => {
  for (const name of ["plain", "with space", "a) S 1 2 (b", ") R 9 9 9", "\u00ff\n"]) {
    const row = parseProcStat(`4711 (${name}) ${STAT_TAIL}`, "boot");
    assert.deepEqual(row, {
      pid: 4711,
      parent: 7,
      group: 40,
      session: 41,
      startedAt: "boot:987654",
      zombie: false,
    });
  }
  assert.equal(parseProcStat("", "boot"), "unknown");
  assert.equal(parseProcStat("4711 (cut", "boot"), "unknown");
});

test("A3 a line of ps is read regardless of its spacing", () => {
  assert.deepEqual(parsePsLine("  42     1    42 Ss+  Sat Nov 15  09:00:00 2025   "), {
    pid: 42,
    parent: 1,
    group: 42,
    session: 0,
    startedAt: "Sat Nov 15 09:00:00 2025",
    zombie: false,
  });
  assert.equal(parsePsLine("no process here"), undefined);
});

test("A3 pids that mean groups or init to the system are never taken for an agent", () => {
  for (const pid of [0, -1, -4711, 1.5, Number.NaN]) {
    assert.equal(isSignalable(pid), false);
    assert.equal(identify(pid), "unknown");
  }
  // In a container the first process may be a supervisor: it is looked at, and never signalled.
  assert.equal(isSignalable(1), false);
  const first = identify(1);
  assert.ok(typeof first === "object");
  assert.equal(livenessOf(first), "alive");
  assert.equal(livenessOf({ ...first, startedAt: `${first.startedAt}0` }), "gone");
});
