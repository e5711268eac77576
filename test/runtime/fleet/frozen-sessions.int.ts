import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fenceFolder } from "../../../src/agents/fence/fence-folder.ts";
import { freezeSessions } from "../../../src/agents/fence/freeze-sessions.ts";
import { hostFence } from "../../../src/agents/fence/host-fence.ts";
import { endSession } from "../../../src/agents/keeper/end-session.ts";
import { launchSession } from "../../../src/agents/keeper/launch-session.ts";
import { keeperOf, sessionFolder, type SessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../../src/agents/keeper/session-members.ts";
import { memoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import { realWorld } from "../../../src/real-world.ts";
import { FrozenSessions } from "../../../src/runtime/fleet/frozen-sessions.ts";
import type { OwnedRun } from "../../../src/runtime/fleet/owned-run.ts";
import { bench } from "../worked-run.ts";

const world = realWorld();
const SESSION = "run.step.1";

/** The state of a process in the process table: R, S, T …; one that has ended meanwhile has none. */
function stateOf(pid: number): string[] {
  try {
    return [readFileSync(`/proc/${String(pid)}/stat`, "latin1").replace(/^.*\) /s, "")[0] ?? ""];
  } catch {
    return [];
  }
}

/** The state that the system shows of each process of the agent. */
function statesOf(session: SessionFolder): readonly string[] {
  const keeper = keeperOf(session);
  const found = sessionMembers(session.mark, keeper);
  if (found === "unknown") throw new Error("no process table");
  return found
    .filter(({ pid, parent }) => pid !== keeper?.pid && parent === keeper?.pid)
    .flatMap(({ pid }) => stateOf(pid));
}

const isStill = (session: SessionFolder): boolean => statesOf(session).some((state) => state === "T");

/** A supervisor that owns the run, and dies at a crash point. */
async function supervisorOn(sessions: string, diesAt: string | null) {
  const crashing = {
    ...world,
    crashPoint(name: string) {
      if (name === diesAt) throw new Error(`died at ${name}`);
    },
  };
  const journal = memoryJournal({ world });
  const { ports, leases } = bench({}, { world: crashing, journal });
  const taken = await leases.take("run");
  assert.equal(taken.kind, "taken");
  const fence = hostFence(sessions, world);
  fence.open();
  const frozen = new FrozenSessions({ ...ports, fence }, leases, () => undefined);
  const owned: OwnedRun = {
    run: "run",
    epoch: taken.kind === "taken" ? taken.epoch : 0,
    sessions: [SESSION],
    stoodStill: () => Promise.resolve(),
  };
  return { fence, look: () => frozen.look([owned]) };
}

test(
  "F2 a supervisor that dies just before or just after it thaws an agent leaves it to the next one, which finds it going on",
  {
    skip: process.platform === "linux" ? false : "the process table shows marks on Linux only",
    timeout: 120_000,
  },
  async () => {
    const root = mkdtempSync(path.join(tmpdir(), "holdfast-thaw-"));
    const sessions = path.join(root, "sessions");
    const session = sessionFolder(sessions, SESSION);
    const fence = fenceFolder(sessions);
    try {
      const first = await supervisorOn(sessions, "fleet.thaw.before");
      first.fence.guard(SESSION, "run");
      const command = ["sh", "-c", "while :; do sleep 0.05; done"] as const;
      const order = { session, command, cwd: root, order: {} };
      assert.equal((await launchSession(world, order)).kind, "started");
      while (statesOf(session).length === 0) await delay(20);
      const name = path.basename(session.folder);
      const freeze = (): void => {
        freezeSessions(fence, [name], world);
        assert.equal(isStill(session), true);
      };
      freeze();
      await assert.rejects(first.look(), /died at fleet.thaw.before/);
      assert.equal(isStill(session), true);
      assert.deepEqual(
        first.fence.frozen().map((one) => one.name),
        [name],
      );
      const second = await supervisorOn(sessions, "fleet.thaw.after");
      await assert.rejects(second.look(), /died at fleet.thaw.after/);
      assert.equal(isStill(session), false);
      assert.deepEqual(second.fence.frozen(), []);
      const third = await supervisorOn(sessions, null);
      await third.look();
      assert.equal(isStill(session), false);
      freeze();
      await third.look();
      assert.equal(isStill(session), false);
    } finally {
      await endSession(world, session, 0);
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    }
  },
);
