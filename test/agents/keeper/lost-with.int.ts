import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { endSession } from "../../../src/agents/keeper/end-session.ts";
import { probeSession, probeStarted } from "../../../src/agents/keeper/probe-session.ts";
import { readSpool, type LineReader } from "../../../src/agents/keeper/spool/read-spool.ts";
import {
  makeSessionFolder,
  readIdentity,
  sessionFolder,
  type SessionFolder,
} from "../../../src/agents/keeper/session-folder.ts";
import { createListeners } from "../../../src/agents/listening.ts";
import { toSignal } from "../../../src/agents/to-signal.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { placeLost, type World } from "../../../src/model/world.ts";
import { realWorld } from "../../../src/real-world.ts";
import { waitFor } from "../contract/scene.ts";

const reader = (): LineReader => ({ read: ({ text }) => [toSignal(JSON.parse(text))] });

function receiveAll(world: World, session: SessionFolder): Promise<Signal[]> {
  const received: Signal[] = [];
  const reading = { world, session, spools: ["out", "err"], reader, remembers: false } as const;
  return new Promise((resolve) => {
    createListeners().start(
      ({ signals }) => {
        received.push(...signals);
        if (signals.some(({ kind }) => kind === "exit")) resolve(received);
        return Promise.resolve();
      },
      (listening) => readSpool(reading, "", listening),
    );
  });
}

async function inFolder(play: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-lost-"));
  try {
    await play(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const HERE = { host: "a", pid: 7, startedAt: "boot-1:70", space: "pid:[1]" };

test("A4 what a process was lost with follows from its boot and its PID namespace, and unknown is not lost", () => {
  const cases = [
    [HERE, null],
    [{ ...HERE, startedAt: "boot-0:5" }, "restart"],
    [{ ...HERE, space: "pid:[2]" }, "container"],
    // A container of this machine that has another name.
    [{ ...HERE, host: "b", space: "pid:[2]" }, "container"],
    // Another machine.
    [{ ...HERE, host: "b", startedAt: "boot-9:5" }, null],
    // As other systems, and keepers from before, tell it.
    [{ ...HERE, startedAt: "Tue Nov 17 02:03:10 2026" }, null],
    [{ host: "a", pid: 7, startedAt: "boot-1:70" }, null],
  ] as const;
  for (const [other, expected] of cases)
    assert.equal(placeLost(HERE, other), expected, JSON.stringify(other));
});

test("A4 J4 after a new boot a session is gone with its machine, and its last words are read first", () =>
  inFolder(async (folder) => {
    const real = realWorld();
    const world = { ...real, self: { ...real.self, startedAt: "boot-2:9" } };
    const session = sessionFolder(folder, "s-1");
    makeSessionFolder(session);
    const keeper = { host: hostname(), pid: 4_190_000, startedAt: "boot-1:5" };
    writeFileSync(session.identity, JSON.stringify(keeper));
    writeFileSync(session.out, `${JSON.stringify({ kind: "result", ok: true, text: "done" })}\n`);
    const found = await probeSession(world, session);
    assert.deepEqual(found, { kind: "gone", lost: "restart", detail: "the machine was restarted" });
    assert.deepEqual(await receiveAll(world, session), [
      { kind: "result", ok: true, text: "done" },
      { kind: "exit", how: "vanished", lost: "restart" },
    ]);
    // The shutdown of a machine ends agents by signals, and their keepers still tell that.
    writeFileSync(session.exit, "143\n");
    const [, exit] = await receiveAll(world, session);
    assert.deepEqual(exit, { kind: "exit", how: "signal", signal: "SIGTERM", lost: "restart" });
  }));

const mayUnshare =
  spawnSync("unshare", ["-p", "-f", "--mount-proc", "true"], { stdio: "ignore" }).status === 0;

test(
  "A4 J4 a session in another PID namespace is alive while that lives, and lost with it when it dies",
  { skip: mayUnshare ? false : "needs the right to make a PID namespace (unshare as root)" },
  () =>
    inFolder(async (folder) => {
      const script = path.join(import.meta.dirname, "launch-in-space.ts");
      const space = spawn(
        "unshare",
        ["-p", "-f", "--mount-proc", "--kill-child=SIGKILL", process.execPath, script, folder],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      const over = once(space, "exit");
      try {
        const [said] = (await once(space.stdout, "data")) as [Buffer];
        assert.equal(said.toString(), "started\n");
        const world = realWorld();
        const session = sessionFolder(folder, "s-1");
        const reading = readIdentity(session);
        assert.ok(reading.kind === "keeper" && reading.keeper.space !== world.self.space);
        const alive = await probeSession(world, session);
        assert.equal(alive.kind, "alive", alive.detail);
        const refused = await endSession(world, session, 100);
        assert.ok(
          refused.kind === "failed" && /another container/.test(refused.text),
          JSON.stringify(refused),
        );
        await waitFor(() => readFileSync(session.out, "utf8").includes("\n") || undefined);
        space.kill("SIGKILL");
        await over;
        const gone = await waitFor(() => {
          const found = probeStarted(world, session);
          return found.kind === "alive" ? undefined : found;
        });
        assert.deepEqual(gone, { kind: "gone", lost: "container", detail: "its container is gone" });
        assert.deepEqual(await receiveAll(world, session), [
          { kind: "progress", text: "at work" },
          { kind: "exit", how: "vanished", lost: "container" },
        ]);
        assert.deepEqual(await endSession(world, session, 100), { kind: "ended" });
      } finally {
        space.kill("SIGKILL");
        await over;
      }
    }),
);
