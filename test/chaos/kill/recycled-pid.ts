/**
 * Inside a pid namespace of its own: sessions whose keeper died and whose pid was given to a stranger. The one that
 * ends or probes such a session must leave the stranger alone. `chaos-sessions.ts` starts it. Argument: how often.
 * Ends with 3 where the next pid cannot be chosen.
 */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { endSession } from "../../../src/agents/keeper/end-session.ts";
import { launchSession } from "../../../src/agents/keeper/launch-session.ts";
import { probeSession } from "../../../src/agents/keeper/probe-session.ts";
import { readIdentity, sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../../src/agents/keeper/session-members.ts";
import { readProcess } from "../../../src/agents/process-table.ts";
import { realWorld } from "../../../src/real-world.ts";
import { waitFor } from "../../agents/contract/scene.ts";

const times = Number(process.argv[2] ?? 1);
const world = realWorld();
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-recycled-")));

/** Tells by a file that it was signalled, by whatever can be caught; the rest would end it. */
const STRANGER = `
trap 'echo signalled >"$1"' HUP INT QUIT TERM
echo ready
while :; do sleep 1; done`;

/** In a group of its own, as a keeper is: group and session have the recycled number too. */
async function strangerWithPid(pid: number, reported: string): Promise<ChildProcess | undefined> {
  for (let tries = 0; tries < 20; tries += 1) {
    try {
      writeFileSync("/proc/sys/kernel/ns_last_pid", String(pid - 1));
    } catch {
      console.log("the next pid cannot be chosen here");
      process.exit(3);
    }
    const child = spawn("/bin/sh", ["-c", STRANGER, "stranger", reported], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
      env: { PATH: process.env["PATH"] },
    });
    await once(child.stdout ?? assert.fail(), "data");
    if (child.pid === pid) return child;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  // A thread of this very process may have got it.
  return undefined;
}

function strike(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** Answers whether a stranger got the pid. */
async function recycle(index: number): Promise<boolean> {
  const session = sessionFolder(folder, `s${String(index)}`);
  const command = ["/bin/sh", "-c", "sleep 1000"] as const;
  const started = await launchSession(world, { session, command, cwd: folder, order: {} });
  assert.equal(started.kind, "started");
  const reading = readIdentity(session);
  assert.ok(reading.kind === "keeper");
  const members = sessionMembers(session.mark, reading.keeper);
  assert.ok(members !== "unknown" && members.length > 0);
  for (const { pid } of members) strike(pid, "SIGSTOP");
  for (const { pid } of members) strike(pid, "SIGKILL");
  const { pid } = reading.keeper;
  assert.ok(await waitFor(() => (readProcess(pid) === undefined ? true : undefined), 10_000));
  const reported = path.join(folder, `told-${String(index)}`);
  const stranger = await strangerWithPid(pid, reported);
  if (stranger === undefined) return false;
  assert.equal((await probeSession(world, session)).kind, "gone");
  assert.deepEqual(await endSession(world, session, 100), { kind: "ended" });
  const row = readProcess(pid);
  assert.ok(typeof row === "object" && !row.zombie, "the stranger lives");
  assert.equal(existsSync(reported), false, "the stranger was signalled");
  stranger.kill("SIGKILL");
  await once(stranger, "exit");
  return true;
}

try {
  let recycled = 0;
  for (let index = 0; index < times * 3 && recycled < times; index += 1)
    if (await recycle(index)) recycled += 1;
  console.log(`${String(recycled)} pids recycled, 0 strangers signalled`);
  if (recycled === 0) process.exitCode = 3;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
