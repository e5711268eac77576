import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { endSession } from "../../../src/agents/keeper/end-session.ts";
import { KEEPER_SCRIPT } from "../../../src/agents/keeper/keeper-script.ts";
import { launchSession } from "../../../src/agents/keeper/launch-session.ts";
import { readSpool } from "../../../src/agents/keeper/spool/read-spool.ts";
import { startCopier } from "../../../src/agents/keeper/spool/sifting.ts";
import {
  makeSessionFolder,
  readExitStatus,
  readIdentity,
  sessionFolder,
  type SessionFolder,
} from "../../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../../src/agents/keeper/session-members.ts";
import { realWorld } from "../../../src/real-world.ts";
import { delay, waitFor } from "../contract/scene.ts";

const world = realWorld();
const LIMIT_MS = 30_000;

/** A shell's script as an agent, and everything of it ended when the test is. */
async function shellAgent(t: TestContext, script: string, spokenTo = false) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-copied-"));
  const session = sessionFolder(folder, "run.step.1");
  t.after(async () => {
    await endSession(world, session, 300);
    rmSync(folder, { recursive: true, force: true });
  });
  const command = ["/bin/sh", "-c", script] as const;
  const started = await launchSession(world, { session, command, cwd: folder, order: {}, spokenTo });
  assert.equal(started.kind, "started");
  const members = () => {
    const rows = sessionMembers(session.mark, undefined);
    assert.ok(rows !== "unknown");
    return rows.map(({ pid }) => ({ pid, program: programOf(pid) }));
  };
  return {
    ...{ folder, session, members },
    copiers: () => members().filter(({ program }) => program.endsWith("holdfast-copier ")),
    said: (): string => readFileSync(session.out, "utf8"),
    complained: (): string => readFileSync(session.err, "utf8"),
    ended: (): Promise<number | undefined> => waitFor(() => readExitStatus(session), LIMIT_MS),
  };
}

function programOf(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, "latin1").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

const countTo = (last: number): string =>
  Array.from({ length: last }, (_, at) => `${String(at + 1)}\n`).join("");

for (const spokenTo of [false, true])
  test(`A2 an agent that reopens its output loses nothing of it, ${spokenTo ? "spoken to" : "left alone"}`, async (t) => {
    const { ended, said, complained, session } = await shellAgent(
      t,
      "echo before; echo result >/dev/stdout; echo after; echo one >&2; echo two >/dev/stderr; exit 3",
      spokenTo,
    );
    assert.equal(await ended(), 3);
    assert.equal(said(), "before\nresult\nafter\n");
    assert.equal(complained(), "one\ntwo\n");
    const kept = readdirSync(session.folder).filter((name) => /pipe|cop/.test(name));
    assert.deepEqual(await waitFor(() => (kept.length === 0 ? kept : undefined)), []);
  });

const KILLS = 20;

test("A2 a copier killed at any instant loses and doubles nothing, and does not end the agent", async (t) => {
  const { ended, said, session, copiers, members, folder } = await shellAgent(
    t,
    "i=0; while [ ! -e enough ]; do seq $((i * 1000 + 1)) $((i * 1000 + 1000)); i=$((i + 1)); done; exit 5",
  );
  let kills = 0;
  const endMs = performance.now() + LIMIT_MS;
  while (readExitStatus(session) === undefined) {
    // The agent never stops by itself: a test that waits for it without a bound fills the disk.
    assert.ok(performance.now() < endMs, `${String(kills)} kills; ${JSON.stringify(members())}`);
    // A keeper replaces so many copiers and no more: the one that kills every one of them at its start wins.
    for (const { pid } of kills < KILLS ? copiers() : []) {
      kill(pid);
      kills += 1;
    }
    if (kills >= KILLS) writeFileSync(path.join(folder, "enough"), "");
    startCopier(session);
    await delay(3 + ((kills * 17) % 80));
  }
  assert.equal(await ended(), 5);
  const last = Number(said().trimEnd().split("\n").at(-1));
  assert.ok(last >= 1_000 && last % 1_000 === 0, String(last));
  assert.equal(said(), countTo(last));
});

test("A2 what an agent prints last is kept although its copier was killed before", async (t) => {
  const { ended, said, copiers, folder } = await shellAgent(
    t,
    "echo ready; while [ ! -e go ]; do sleep 0.05; done; echo last; exit 5",
  );
  await waitFor(() => (said() === "ready\n" ? true : undefined));
  await waitFor(() => {
    for (const { pid } of copiers()) kill(pid);
    return copiers().length === 0 ? true : undefined;
  });
  writeFileSync(path.join(folder, "go"), "");
  assert.equal(await ended(), 5);
  assert.equal(said(), "ready\nlast\n");
});

test("A2 an agent whose keeper and copier were killed works on and is read to its end", async (t) => {
  const { folder, session, copiers } = await shellAgent(
    t,
    `echo ready; while [ ! -e go ]; do sleep 0.05; done; seq 200000; echo end`,
  );
  const reading = readIdentity(session);
  assert.ok(reading.kind === "keeper");
  await waitFor(() => (readFileSync(session.out, "utf8") === "ready\n" ? true : undefined));
  kill(reading.keeper.pid);
  // One that sees its keeper go continues as a child of nobody.
  await waitFor(() => {
    for (const { pid } of copiers()) kill(pid);
    return copiers().length === 0 ? true : undefined;
  });
  const lines: string[] = [];
  const hearing = readSpool(
    {
      ...{ world, session, spools: ["out"], remembers: false },
      reader: () => ({
        read: ({ text }) => {
          lines.push(text);
          return [];
        },
      }),
    },
    "0",
    { closed: () => false, onClose: () => undefined, receive: () => Promise.resolve(true) },
  );
  writeFileSync(path.join(folder, "go"), "");
  await hearing;
  assert.equal(`${lines.join("\n")}\n`, `ready\n${countTo(200_000)}end\n`);
});

test("A5 a process that an agent left behind neither delays its exit nor ends by a broken pipe", async (t) => {
  const { ended, said, members } = await shellAgent(
    t,
    `(while :; do echo still here; sleep 0.05; done) & echo end; exit 4`,
  );
  assert.equal(await ended(), 4);
  assert.match(said(), /^end$/m);
  const lines = (): number => said().split("\n").length;
  const before = lines();
  assert.ok(await waitFor(() => (lines() > before + 2 ? true : undefined)));
  assert.ok(members().length >= 2);
});

test("A2 without Perl the output is copied all the same", (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-copied-"));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const { out, err, exit, folder: of } = makeSession(folder);
  const agent = "echo one; echo two >/dev/stdout; echo three >/dev/stderr; seq 100000; exit 6";
  // A mount namespace of its own, in which there is no such program.
  const hidden = `mount --bind /dev/null /usr/bin/perl && exec "$@"`;
  const keeper = [
    "/bin/sh",
    "-c",
    KEEPER_SCRIPT,
    "holdfast-keeper",
    of,
    "n",
    '"here"',
    "/bin/sh",
    "-c",
    agent,
  ];
  const ran = spawnSync("unshare", ["-rm", "/bin/sh", "-c", hidden, "sh", ...keeper], { timeout: LIMIT_MS });
  if (ran.error !== undefined || /unshare|mount/.test(ran.stderr.toString())) {
    t.skip(`no mount namespace can be made here: ${ran.stderr.toString() || String(ran.error)}`);
    return;
  }
  assert.equal(readFileSync(exit, "utf8"), "6\n");
  assert.equal(readFileSync(out, "utf8"), `one\ntwo\n${countTo(100_000)}`);
  assert.equal(readFileSync(err, "utf8"), "three\n");
});

function makeSession(folder: string): SessionFolder {
  const session = sessionFolder(folder, "run.step.1");
  makeSessionFolder(session);
  for (const spool of [session.out, session.err]) writeFileSync(spool, "");
  return session;
}
