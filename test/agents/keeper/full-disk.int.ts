import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { endSession } from "../../../src/agents/keeper/end-session.ts";
import { launchSession } from "../../../src/agents/keeper/launch-session.ts";
import { probeSession } from "../../../src/agents/keeper/probe-session.ts";
import {
  makeSessionFolder,
  readExitStatus,
  sessionFolder,
  type SessionFolder,
} from "../../../src/agents/keeper/session-folder.ts";
import { hostFaultIn } from "../../../src/model/host/host-fault.ts";
import { realWorld } from "../../../src/real-world.ts";
import { delay, waitFor } from "../contract/scene.ts";

const NONCE = "n";
const world = { ...realWorld(), id: () => NONCE };

/** A folder in which a file of this name cannot be written: whatever is written to it meets a full disk. */
function fullFor(t: TestContext, name: (session: SessionFolder) => string) {
  const sessions = mkdtempSync(path.join(tmpdir(), "holdfast-full-"));
  const session = sessionFolder(sessions, "run.step.1");
  t.after(async () => {
    await endSession(world, session, 300);
    rmSync(sessions, { recursive: true, force: true });
  });
  makeSessionFolder(session);
  const file = name(session);
  symlinkSync("/dev/full", file);
  const start = (script: string) =>
    launchSession(world, { session, command: ["/bin/sh", "-c", script], cwd: sessions, order: {} });
  return { session, start, free: () => rmSync(file) };
}

const skip = existsSync("/dev/full") ? false : "there is no /dev/full here";

test(
  "J1 L7 a keeper that cannot write its identity because the disk is full is followed by another, and the attempt is not charged",
  { skip },
  async (t) => {
    const { start, free, session } = fullFor(t, ({ identity }) => `${identity}.${NONCE}`);
    const starting = start("echo ready; exit 3");
    await delay(300);
    assert.equal((await probeSession(world, session)).kind, "gone", "nothing has begun");
    free();
    assert.equal((await starting).kind, "started");
    assert.equal(await waitFor(() => readExitStatus(session)), 3);
  },
);

test(
  "J1 L7 a session whose order cannot be written because the disk is full names the disk",
  { skip },
  async (t) => {
    const { start } = fullFor(t, ({ order }) => `${order}.${NONCE}`);
    const outcome = await start("exit 0");
    assert.ok(outcome.kind === "failed" && !outcome.terminal);
    assert.equal(hostFaultIn(outcome.text), "disk", outcome.text);
  },
);

test(
  "J1 L7 how an agent ended is reported once the disk has room again, and it counts as alive until then",
  { skip },
  async (t) => {
    const { start, free, session } = fullFor(t, ({ exit }) => exit);
    assert.equal((await start("exit 4")).kind, "started");
    await delay(500);
    assert.equal((await probeSession(world, session)).kind, "alive");
    free();
    assert.equal(await waitFor(() => readExitStatus(session)), 4);
  },
);
