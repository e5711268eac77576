import assert from "node:assert/strict";
import { closeSync, constants, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { guardAgents } from "../../../src/agents/fence/guard-agents.ts";
import { hostFence } from "../../../src/agents/fence/host-fence.ts";
import { endSession } from "../../../src/agents/keeper/end-session.ts";
import { launchSession } from "../../../src/agents/keeper/launch-session.ts";
import { keeperOf, sessionFolder, type SessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../../src/agents/keeper/session-members.ts";
import { permitUntil } from "../../../src/model/host/permit.ts";
import { realWorld } from "../../../src/real-world.ts";

const world = realWorld();
const FOREVER_MS = 3_600_000;

/** Processes come and go while they are looked at. */
function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, "utf8");
  } catch {
    return "";
  }
}

/** The state that the system shows of each process of the agent, and of its keeper. */
function states(session: SessionFolder): { readonly agent: readonly string[]; readonly keeper: string } {
  const keeper = keeperOf(session);
  const found = sessionMembers(session.mark, keeper);
  if (found === "unknown") throw new Error("no process table");
  const stateOf = (pid: number): string => {
    const stat = textOf(pid, "stat");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
  };
  const words = (pid: number): string => textOf(pid, "cmdline");
  const agents = found.filter(({ pid }) => /sleep|counts/.test(words(pid)) && pid !== keeper?.pid);
  return { agent: agents.map(({ pid }) => stateOf(pid)), keeper: stateOf(keeper?.pid ?? 0) };
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const late = Date.now() + 60_000; !holds(); await delay(20))
    if (Date.now() > late) throw new Error(`in vain: ${what}`);
}

const isFrozen = (session: SessionFolder): boolean => {
  const { agent, keeper } = states(session);
  return agent.length > 0 && agent.every((state) => state === "T") && keeper !== "T";
};

test(
  "F2 agents are frozen when nobody holds the lock or the permit is over, go on when somebody supervises them again, and are never frozen before",
  {
    skip: process.platform === "linux" ? false : "the process table shows marks on Linux only",
    timeout: 120_000,
  },
  async () => {
    const root = mkdtempSync(path.join(tmpdir(), "holdfast-fence-"));
    const sessions = path.join(root, "sessions");
    const session = sessionFolder(sessions, "run.step.1");
    const fence = hostFence(sessions, world);
    try {
      fence.open();
      fence.guard("run.step.1", "run");
      fence.permit(world.steady().ms + FOREVER_MS);
      fence.hold(true);
      // Its second process leaves the group: only the mark shows whose it is.
      const command = ["sh", "-c", "setsid sleep 1000 & while :; do sleep 0.05; : counts; done"] as const;
      const order = { session, command, cwd: root, order: {} };
      assert.equal((await launchSession(world, order)).kind, "started");
      const said: string[] = [];
      const guard = guardAgents(sessions, world, (text) => said.push(text));
      await until("the guard watches", () => fence.hasGuard());
      await until("the agent works", () => states(session).agent.length >= 3);
      assert.deepEqual(fence.frozen(), []);

      // The permit ends: the host is cut off from its store, say.
      fence.permit(permitUntil(world.steady().ms - 1_000, 1_000));
      await until("it is frozen", () => isFrozen(session));
      const [frozen] = fence.frozen();
      assert.equal(frozen?.run, "run");
      assert.ok(world.steady().ms - (frozen.since?.ms ?? 0) < 60_000);
      fence.permit(world.steady().ms + FOREVER_MS);
      fence.thaw(frozen.name);
      await until("it goes on", () => states(session).agent.every((state) => state !== "T"));
      assert.deepEqual(fence.frozen(), []);

      // Of two that hold their locks one goes: nothing happens until the other one has gone too.
      const sibling = openSync(`${sessions}-fence/held`, constants.O_RDWR);
      fence.hold(false);
      await delay(500);
      assert.deepEqual(fence.frozen(), []);
      closeSync(sibling);
      await until("it is frozen again", () => isFrozen(session));
      assert.match(said.join("\n"), /has not answered[\s\S]*neither a supervisor nor its sibling/);

      // What is frozen ends politely all the same, and then the guard has nothing to do.
      assert.equal((await endSession(world, session, 5_000)).kind, "ended");
      assert.equal(await guard, "done");
      fence.forget("run.step.1");
      assert.deepEqual(fence.frozen(), []);
      assert.ok(existsSync(`${sessions}-fence`));
    } finally {
      fence.close();
      await endSession(world, session, 0);
      rmSync(root, { recursive: true, force: true });
    }
  },
);
