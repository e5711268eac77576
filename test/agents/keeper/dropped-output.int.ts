import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { SignalBatch } from "../../../src/agents/agent-driver.ts";
import { endSession } from "../../../src/agents/keeper/end-session.ts";
import { KEEPER_SCRIPT } from "../../../src/agents/keeper/keeper-script.ts";
import { launchSession } from "../../../src/agents/keeper/launch-session.ts";
import { readSpool, type LineReader } from "../../../src/agents/keeper/spool/read-spool.ts";
import { startCopier } from "../../../src/agents/keeper/spool/sifting.ts";
import {
  makeSessionFolder,
  readExitStatus,
  sessionFolder,
  type SessionFolder,
} from "../../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../../src/agents/keeper/session-members.ts";
import { KEPT_BYTES, LAST_BYTES } from "../../../src/agents/keeper/spool/spool-quota.ts";
import { tailOutput } from "../../../src/agents/keeper/spool/tail-output.ts";
import { createListeners } from "../../../src/agents/listening.ts";
import { realWorld } from "../../../src/real-world.ts";
import { delay, waitFor } from "../contract/scene.ts";

const world = realWorld();
const LIMIT_MS = 60_000;
const QUOTA_BYTES = 100_000;
/** Lines of 100 bytes that are all different. */
const FLOOD = `awk 'BEGIN { for (i = 1; i <= COUNT; i++) printf "%099d\\n", i }'`;
const flood = (lines: number): string => FLOOD.replace("COUNT", String(lines));
const LINES = 300_000;

interface Loud {
  readonly session: SessionFolder;
  readonly sessions: string;
  readonly ended: () => Promise<number | undefined>;
}

function folderOf(t: TestContext): { sessions: string; session: SessionFolder } {
  const sessions = mkdtempSync(path.join(tmpdir(), "holdfast-dropped-"));
  const session = sessionFolder(sessions, "run.step.1");
  t.after(async () => {
    await endSession(world, session, 300);
    rmSync(sessions, { recursive: true, force: true });
  });
  return { sessions, session };
}

async function loudAgent(t: TestContext, script: string): Promise<Loud> {
  const { sessions, session } = folderOf(t);
  const command = ["/bin/sh", "-c", script] as const;
  const launch = { session, command, cwd: sessions, order: {}, outputBytesMax: QUOTA_BYTES };
  assert.equal((await launchSession(world, launch)).kind, "started");
  return { sessions, session, ended: () => waitFor(() => readExitStatus(session), LIMIT_MS) };
}

const lines = (): LineReader => ({
  read: ({ text, kind }) => [{ kind: "progress", text: `${kind} ${text}` }],
});

/** Everything that is received from a session until its exit, or until so many texts came. */
async function receive(session: SessionFolder, { cursor = "", enough = Infinity } = {}) {
  const batches: SignalBatch[] = [];
  const count = (): number => batches.reduce((sum, { signals }) => sum + signals.length, 0);
  const listeners = createListeners();
  await new Promise<void>((resolve) => {
    const reading = { world, session, spools: ["out"], reader: lines, remembers: false } as const;
    const received = (batch: SignalBatch): Promise<void> => {
      batches.push(batch);
      if (count() >= enough) setImmediate(() => listeners.closeAll());
      return Promise.resolve();
    };
    listeners.start(received, (listening) =>
      readSpool({ ...reading, quotaBytes: QUOTA_BYTES }, cursor, listening).finally(resolve),
    );
  });
  const signals = batches.flatMap((batch) => batch.signals);
  return {
    texts: signals.flatMap((signal) => (signal.kind === "progress" ? [signal.text] : [])),
    reached: batches.flatMap(({ reached }) => reached ?? []),
    cursor: batches.at(-1)?.cursor ?? "",
    end: signals.at(-1)?.kind,
  };
}

const onDisk = (file: string): number => statSync(file).blocks * 512;
const BOUND_BYTES = QUOTA_BYTES + 2 * KEPT_BYTES + 2 * LAST_BYTES;
const WORD = /^whole (\d{99}|first|result)$/;

test("A2 L7 T26 of an agent that prints without end the disk keeps the beginning and the end, with its result, and an event says so", async (t) => {
  const { session, sessions, ended } = await loudAgent(t, `echo first; ${flood(LINES)}; echo result; exit 4`);
  const received = await receive(session);
  assert.equal(await ended(), 4);
  assert.equal(statSync(session.out).size, 6 + LINES * 100 + 7);
  assert.ok(onDisk(session.out) < BOUND_BYTES, String(onDisk(session.out)));
  assert.deepEqual(
    [received.texts[0], received.texts.at(-1), received.end],
    ["whole first", "whole result", "exit"],
  );
  assert.deepEqual(
    received.texts.filter((text) => !WORD.test(text)),
    [],
    "nothing is read where something was dropped",
  );
  assert.equal(received.reached.length, 1);
  assert.match(received.reached[0]?.detail ?? "", /keeps the first 100000 bytes and the last 4194304/);
  const shown = tailOutput(sessions, "run.step.1").next();
  assert.deepEqual([shown[0]?.text, shown.at(-1)?.text], ["first", "result"]);
  assert.equal(shown.filter(({ text }) => /^\[bytes 1\d{5} to \d+ were dropped/.test(text)).length, 1);
  assert.ok(shown.every(({ text }) => !text.includes("\0")));
});

test("A2 J4 copiers and listeners that die while output is dropped lose nothing that is kept, and the result is read", async (t) => {
  const script = `echo first; while [ ! -e enough ]; do ${flood(10_000)}; sleep 0.02; done; ${flood(LINES)}; echo result; exit 5`;
  const { session, sessions, ended } = await loudAgent(t, script);
  let [kills, cursor] = [0, ""];
  while (kills < 12) {
    const rows = sessionMembers(session.mark, undefined);
    assert.ok(rows !== "unknown");
    for (const { pid } of rows.filter((row) => isCopier(row.pid))) {
      kill(pid);
      kills += 1;
    }
    startCopier(session);
    const received = await receive(session, { cursor, enough: 50 });
    assert.deepEqual(
      received.texts.filter((text) => !WORD.test(text)),
      [],
    );
    cursor = received.cursor;
    await delay(20);
  }
  writeFileSync(path.join(sessions, "enough"), "");
  const last = await receive(session, { cursor });
  assert.equal(await ended(), 5);
  assert.deepEqual([last.texts.at(-1), last.end], ["whole result", "exit"]);
  assert.ok(onDisk(session.out) < BOUND_BYTES, String(onDisk(session.out)));
  assert.equal(tailOutput(sessions, "run.step.1").next()[0]?.text, "first");
});

test("A2 what an agent said last stays although a process that it left behind prints without end", async (t) => {
  const left = `( while [ ! -e go ]; do sleep 0.05; done; ${flood(LINES)}; : >flooded ) &`;
  const { session, sessions, ended } = await loudAgent(t, `${left} ${flood(LINES)}; echo result; exit 0`);
  assert.equal(await ended(), 0);
  const size = statSync(session.out).size;
  writeFileSync(path.join(sessions, "go"), "");
  await waitFor(() => (statSync(session.out).size > size + LINES * 99 ? true : undefined), LIMIT_MS);
  const bytes = readFileSync(session.out);
  assert.equal(bytes.subarray(size - 7, size).toString(), "result\n");
  assert.ok(!bytes.subarray(size - LAST_BYTES, size).includes(0));
  assert.ok(onDisk(session.out) < BOUND_BYTES + 3 * KEPT_BYTES, String(onDisk(session.out)));
});

const WITHOUT: readonly [what: string, change: (script: string) => string][] = [
  ["holes in files", (script) => script.replace(/my \$punch = \d+;/, "my $punch = 0;")],
  [
    "holes in files and splice",
    (script) => script.replace(/my \$(punch|splice) = \d+;/g, (_, name) => `my $${String(name)} = 0;`),
  ],
  ["Perl", (script) => script.replaceAll(/perl=\S+|command -v perl/g, (was) => `${was}-is-missing`)],
];

for (const [what, change] of WITHOUT)
  test(`A2 L7 without ${what} the spool is bounded as well, and the result arrives when the agent ends`, (t) => {
    const { session } = folderOf(t);
    makeSessionFolder(session);
    writeFileSync(session.quota, `${String(QUOTA_BYTES)}\n`);
    for (const spool of [session.out, session.err]) writeFileSync(spool, "");
    const script = change(KEEPER_SCRIPT);
    assert.notEqual(script, KEEPER_SCRIPT);
    const words = ["-c", `low=\n${script}`, "holdfast-keeper", session.folder, "n", '"host"'];
    // Slower than it could be: without Perl the bound is looked at every now and then.
    const agent = [
      "/bin/sh",
      "-c",
      `echo first; ${flood(2_000)}; sleep 1; ${flood(LINES)}; echo result; exit 6`,
    ];
    const done = spawnSync("/bin/sh", [...words, ...agent], { timeout: LIMIT_MS });
    assert.equal(done.status, 0, String(done.stderr));
    assert.equal(readExitStatus(session), 6);
    const text = readFileSync(session.out, "latin1");
    assert.ok(text.length < BOUND_BYTES + LAST_BYTES, String(text.length));
    assert.ok(text.startsWith("first\n") && text.endsWith("\nresult\n"));
    assert.ok(!text.includes("\0"));
  });

function isCopier(pid: number): boolean {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, "latin1").endsWith("holdfast-copier\0");
  } catch {
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
