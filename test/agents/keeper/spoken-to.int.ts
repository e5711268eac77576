import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { endSession } from "../../../src/agents/keeper/end-session.ts";
import { launchSession } from "../../../src/agents/keeper/launch-session.ts";
import { endWords, postWords, type Delivery } from "../../../src/agents/keeper/post-words.ts";
import { probeSession } from "../../../src/agents/keeper/probe-session.ts";
import { readExitStatus, readIdentity, sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../../src/agents/keeper/session-members.ts";
import { realWorld } from "../../../src/real-world.ts";
import { waitFor } from "../contract/scene.ts";

const world = realWorld();
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const ECHO = [process.execPath, here("./echo-agent.mjs")] as const;

/** An agent that reads its stdin, and everything of it ended when the test is. */
async function spokenTo(t: TestContext, command: readonly [string, ...string[]] = ECHO) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-spoken-"));
  const session = sessionFolder(folder, "run.step.1");
  t.after(async () => {
    await endSession(world, session, 500);
    rmSync(folder, { recursive: true, force: true });
  });
  const started = await launchSession(world, { session, command, cwd: folder, order: {}, spokenTo: true });
  assert.equal(started.kind, "started");
  return {
    folder,
    session,
    said: (): string => readFileSync(session.out, "utf8"),
    post: (key: string, text: string, limitMs = 20_000): Promise<Delivery> =>
      postWords({ world, session, key, text, limitMs, closed: () => false }),
    ended: (): Promise<number | undefined> => waitFor(() => readExitStatus(session), 20_000),
  };
}

test("A8 what is sent to an agent arrives whole, in order, and once under one key", async (t) => {
  const { post, said, session, ended } = await spokenTo(t);
  const long = "x".repeat(300_000);
  for (const text of ["first", long, "third"])
    assert.deepEqual(await post(text.slice(0, 9), `${text}\n`), { kind: "delivered" });
  assert.deepEqual(await post("first", "first\n"), { kind: "delivered" });
  assert.equal(endWords(world, session), true);
  assert.equal(await ended(), 0);
  assert.equal(said(), `first\n${long}\nthird\nend of input\n`);
});

test("A8 of many senders under one key one is received", async (t) => {
  const { post, said, session, ended } = await spokenTo(t);
  await Promise.all(Array.from({ length: 8 }, () => post("same", "once\n")));
  assert.equal(endWords(world, session), true);
  await ended();
  assert.equal(said(), "once\nend of input\n");
});

for (const point of ["session.words.before", "session.words.after", "session.announce.after"])
  test(`A2 a supervisor killed at ${point} leaves no half message, and sending again doubles none`, async (t) => {
    const { post, said, session, ended, folder } = await spokenTo(t);
    const args = [here("./poster.ts"), folder, "run.step.1", "key", "the words\n"];
    const env = { ...process.env, HOLDFAST_CRASH_AT: `${point}#1` };
    const killed = spawn(process.execPath, args, { stdio: "ignore", env });
    assert.deepEqual(await once(killed, "exit"), [null, "SIGKILL"]);
    assert.equal((await probeSession(world, session)).kind, "alive");
    assert.deepEqual(await post("key", "the words\n"), { kind: "delivered" });
    assert.deepEqual(await post("next", "more\n"), { kind: "delivered" });
    endWords(world, session);
    assert.equal(await ended(), 0);
    assert.equal(said(), "the words\nmore\nend of input\n");
  });

test("A4 words for an agent that is gone are said not to have arrived", async (t) => {
  const { post, ended } = await spokenTo(t, ["/bin/sh", "-c", "exit 3"]);
  assert.equal(await ended(), 3);
  assert.deepEqual(await post("late", "hello\n"), { kind: "never", text: "the session is over" });
});

test("A8 words that a stopped agent does not take are not said to have arrived", async (t) => {
  const { post } = await spokenTo(t, ["/bin/sh", "-c", "kill -STOP $$; cat"]);
  const outcome = await post("big", "x".repeat(200_000), 500);
  assert.equal(outcome.kind, "unknown");
});

test("A4 an agent whose keeper was killed goes on, can still receive messages, and leaves nothing behind", async (t) => {
  const { post, said, session } = await spokenTo(t);
  assert.deepEqual(await post("before", "before\n"), { kind: "delivered" });
  const reading = readIdentity(session);
  assert.ok(reading.kind === "keeper");
  process.kill(reading.keeper.pid, "SIGKILL");
  await waitFor(() => (world.liveness(reading.keeper) === "gone" ? true : undefined));
  assert.deepEqual(await post("after", "after\n"), { kind: "delivered" });
  endWords(world, session);
  const members = (): unknown => sessionMembers(session.mark, undefined);
  await waitFor(() => (JSON.stringify(members()) === "[]" ? true : undefined));
  assert.deepEqual(members(), []);
  assert.equal(said(), "before\nafter\nend of input\n");
});

test("A5 the courier goes with an agent that was killed", async (t) => {
  const { session, post, ended } = await spokenTo(t);
  await post("one", "one\n");
  assert.deepEqual(await endSession(world, session, 2_000), { kind: "ended" });
  assert.equal(await ended(), 130);
  assert.deepEqual(sessionMembers(session.mark, undefined), []);
});
