import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { CheckOrder } from "../../src/quality/quality.ts";
import { readAllProcesses } from "../../src/agents/process-table.ts";
import { aliveOf, openShellScene } from "./contract/shell-subject.ts";
import type { QualityScene } from "./contract/subject.ts";

let scene: QualityScene;
before(async () => {
  scene = await openShellScene();
});
after(() => scene.close());

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const fileOf = (name: string): string => path.join(scene.folder, name);

/** Three processes that would live on: in the foreground, in the background, and in a session of their own. */
const stubborn = (name: string): string =>
  `trap '' TERM HUP INT; setsid sleep 3600 & sleep 3600 >/dev/null 2>&1 & echo $$ >${name}.draft; mv ${name}.draft ${name}; sleep 3600; wait`;

function orderOf(key: string, command: string): CheckOrder {
  return { key, command, cwd: scene.folder, limitMs: 60_000, outputBytesMax: 1_000, env: {} };
}

const isSleeping = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${String(pid)}/comm`, "utf8") === "sleep\n";
  } catch {
    return false; // It ended between two looks.
  }
};

/** The shell and its three sleepers, and nothing that is still being started. */
function isComplete(key: string): boolean {
  const alive = aliveOf(key);
  return alive.length === 4 && alive.filter((pid) => isSleeping(pid)).length === 3;
}

async function startElsewhere(order: CheckOrder): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("./checking-process.ts", import.meta.url)), JSON.stringify(order)],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  await until(() => isComplete(order.key));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** The leader's group, without what bears the mark: the watcher. */
function watchersOf(leader: number, marked: readonly number[]): readonly number[] {
  const all = readAllProcesses();
  assert.ok(all !== "unknown");
  return all
    .filter((row) => row.group === leader && !row.zombie && !marked.includes(row.pid))
    .map((row) => row.pid);
}

test(
  "G6 when the process that runs a check is killed, nothing of the check lives on",
  { timeout: 60_000 },
  async () => {
    const order = orderOf("killed", stubborn("killed"));
    const child = await startElsewhere(order);
    const leader = Number(readFileSync(fileOf("killed"), "utf8"));
    assert.equal(watchersOf(leader, aliveOf("killed")).length, 1);
    await kill(child);
    await until(() => aliveOf("killed").length === 0 && watchersOf(leader, []).length === 0);
  },
);

test(
  "G6 a check that outlived its process is ended before the same check begins again",
  { timeout: 60_000 },
  async () => {
    const child = await startElsewhere(orderOf("again", stubborn("again")));
    const marked = aliveOf("again");
    const leader = Number(readFileSync(fileOf("again"), "utf8"));
    // Without its watcher a check does outlive its process: the worst that a command can do to us.
    for (const pid of watchersOf(leader, marked)) process.kill(pid, "SIGKILL");
    await until(() => watchersOf(leader, marked).length === 0);
    await kill(child);
    assert.deepEqual(aliveOf("again"), marked);
    const evidence = await scene.quality.check(
      orderOf(
        "again", // A process that has ended may wait to be collected: it is there by its number only.
        "if grep '^State:' /proc/$(cat again)/status | grep -v Z; then exit 1; fi",
      ),
      new AbortController().signal,
    );
    assert.equal(evidence.verdict, "pass", evidence.excerpt);
    assert.deepEqual(aliveOf("again"), []);
  },
);

test("G6 a check leaves no pipe and no folder behind", { timeout: 60_000 }, async () => {
  const before = readdirSync("/proc/self/fd").length;
  for (let round = 0; round < 5; round += 1)
    await scene.quality.check(orderOf("tidy", "echo x; exit 1"), new AbortController().signal);
  const cwdMissing = { ...orderOf("tidy", "true"), cwd: fileOf("nowhere") };
  await scene.quality.check(cwdMissing, new AbortController().signal);
  await until(() => readdirSync("/proc/self/fd").length <= before);
});
