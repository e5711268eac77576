import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import type { SignalBatch } from "../../../../src/agents/agent-driver.ts";
import { readSpool, type LineReader } from "../../../../src/agents/keeper/spool/read-spool.ts";
import {
  claimNever,
  sessionFolder,
  type SessionFolder,
} from "../../../../src/agents/keeper/session-folder.ts";
import { LAST_BYTES } from "../../../../src/agents/keeper/spool/spool-quota.ts";
import { createListeners } from "../../../../src/agents/listening.ts";
import { plainLine } from "../../../../src/agents/tmux/screen/plain-text.ts";
import type { Signal } from "../../../../src/model/agent/signals.ts";
import { realWorld } from "../../../../src/real-world.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-quota-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const world = realWorld();

/** A session that is over, with what was printed in it. */
function ended(name: string, text: string): SessionFolder {
  const session = sessionFolder(folder, name);
  claimNever(session, "n");
  writeFileSync(session.out, text);
  return session;
}

const lines = (): LineReader => ({
  read: ({ text, kind }): Signal[] =>
    plainLine(text) === "" ? [] : [{ kind: "progress", text: `${kind} ${text.slice(0, 300)}` }],
});

interface Received {
  readonly texts: string[];
  readonly reached: NonNullable<SignalBatch["reached"]>[];
  readonly end: string;
  /** How often others had their turn meanwhile. */
  readonly turns: number;
}

async function receive(session: SessionFolder, quotaBytes: number, cursor = ""): Promise<Received> {
  const batches: SignalBatch[] = [];
  let [turns, isOver] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await new Promise<void>((resolve) => {
    const reading = { world, session, spools: ["out"], reader: lines, remembers: false, quotaBytes } as const;
    const received = (batch: SignalBatch): Promise<void> => {
      batches.push(batch);
      return Promise.resolve();
    };
    createListeners().start(received, (listening) => readSpool(reading, cursor, listening).finally(resolve));
  });
  isOver = true;
  const signals = batches.flatMap((batch) => batch.signals);
  return {
    texts: signals.flatMap((signal) => (signal.kind === "progress" ? [signal.text] : [])),
    reached: batches.flatMap(({ reached }) => reached ?? []),
    end: signals.at(-1)?.kind ?? "none",
    turns,
  };
}

test("A2 L7 an agent that prints more than its quota is read up to it and at its end, with its result, and what was left out is reported once", async () => {
  const filler = `${"x".repeat(999)}\n`;
  const session = ended("loud", `first\n${filler.repeat(4_000)}result\n`);
  const { texts, reached, end } = await receive(session, 300_000);
  assert.equal(texts[0], "whole first");
  assert.equal(texts.at(-1), "whole result");
  assert.equal(end, "exit");
  assert.ok(texts.length > LAST_BYTES / 1_000 && texts.length < 2_500, String(texts.length));
  assert.ok(texts.every((text) => /^whole (first|result|x{300})$/.test(text)));
  assert.deepEqual(
    reached.map(({ what, bound }) => [what, bound]),
    [["output of an agent that is read", 300_000]],
  );
  const [{ detail } = { detail: "" }] = reached;
  assert.match(
    detail,
    /supervisor\.outputBytesMax\); bytes \d+ to \d+ of .*out\.spool are kept there and were not read/,
  );
  const whole = await receive(session, 1e9);
  assert.deepEqual([whole.texts.length, whole.reached.length], [4_002, 0]);
});

test("J4 P2 a spool of carriage returns, of empty lines or of one line without end is read in pieces, and others have their turn after each", async () => {
  const spools: [name: string, text: string, heard: number][] = [
    ["returns", `${"\r".repeat(255_000)}x\n`.repeat(8), 8],
    ["empty", "\n".repeat(4 * 1024 * 1024), 0],
    ["endless", "y".repeat(4 * 1024 * 1024), 1],
  ];
  for (const [name, text, received] of spools) {
    const found = await receive(ended(name, text), 1e9);
    assert.equal(found.texts.length, received, name);
    assert.ok(found.turns >= text.length / (256 * 1024), `${name}: ${String(found.turns)} turns`);
    assert.equal(found.end, "exit");
  }
});

test("A2 the one that goes on reading a session that is over its quota finds what came since, and its end", async () => {
  const session = ended("later", `${"z".repeat(99)}\n`.repeat(30_000));
  const before = await receive(session, 100_000);
  assert.equal(before.reached.length, 1);
  appendFileSync(session.out, "afterwards\n");
  const again = await receive(session, 100_000, "3000000");
  assert.deepEqual([again.texts, again.reached.length, again.end], [["whole afterwards"], 0, "exit"]);
});

test("P4 a spool that was replaced by a link is not read, and nobody waits for it", async () => {
  const session = ended("linked", "");
  rmSync(session.out);
  symlinkSync("/dev/zero", session.out);
  const { texts, end } = await receive(session, 1e9);
  assert.deepEqual([texts.length, end], [1, "exit"]);
  assert.match(texts[0] ?? "", /is a link to \/dev\/zero/);
});
