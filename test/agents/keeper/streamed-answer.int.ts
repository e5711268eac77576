import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { AcpTalk } from "../../../src/agents/acp/acp-talk.ts";
import { claudeVocabulary } from "../../../src/agents/claude/claude-vocabulary.ts";
import { geminiVocabulary } from "../../../src/agents/gemini/gemini-vocabulary.ts";
import { NO_TOKENS } from "../../../src/agents/headless/headless-agent.ts";
import { headlessReader } from "../../../src/agents/headless/headless-reader.ts";
import {
  readSpool,
  SPEAKING_APART_MS,
  type LineReader,
} from "../../../src/agents/keeper/spool/read-spool.ts";
import { makeSessionFolder, sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { createListeners } from "../../../src/agents/listening.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { realWorld } from "../../../src/real-world.ts";

const PAST = { startedAt: 0, usedBefore: NO_TOKENS };
const rpc = (message: object): object => ({ jsonrpc: "2.0", ...message });

/** How each driver that streams prints a piece of an answer, and what it prints when the answer is whole. */
const STREAMS: Readonly<
  Record<
    string,
    { reader: () => LineReader; piece: (text: string) => object; whole: (text: string) => object }
  >
> = {
  acp: {
    reader: () =>
      new AcpTalk({ resume: undefined, startedAt: 0, replayedTo: () => undefined, wasClosed: () => false }),
    piece: (text) => {
      const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
      return rpc({ method: "session/update", params: { sessionId: "s", update } });
    },
    whole: () => rpc({ id: "hf:prompt:task", result: { stopReason: "end_turn" } }),
  },
  gemini: {
    reader: () => headlessReader(geminiVocabulary(PAST)),
    piece: (content) => ({ type: "message", role: "assistant", content, delta: true }),
    whole: () => ({ type: "result", status: "success", stats: {} }),
  },
  claude: {
    reader: () => headlessReader(claudeVocabulary(PAST)),
    piece: (text) => ({
      type: "stream_event",
      event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    }),
    whole: (text) => ({ type: "assistant", message: { id: "m", content: [{ type: "text", text }] } }),
  },
};

const PIECES = 60;
const APART_MS = 1_500;

for (const [use, { reader, piece, whole }] of Object.entries(STREAMS))
  test(`L1 A7 an answer of ${use} that comes in pieces is a voice every few seconds, and one message at its end`, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-stream-"));
    let clock = 0;
    let lines = 0;
    const real = realWorld();
    const world = {
      ...real,
      now: () => clock,
      timer: (_ms: number, fire: () => void) => real.timer(1, fire),
    };
    const session = sessionFolder(folder, "s-1");
    makeSessionFolder(session);
    const say = async (line: object): Promise<void> => {
      appendFileSync(session.out, `${JSON.stringify(line)}\n`);
      for (const wanted = lines + 1; lines < wanted;) await delay(1);
      await delay(2);
    };
    const received: { readonly at: number; readonly signal: Signal }[] = [];
    const listeners = createListeners();
    const counted = (): LineReader => {
      const one = reader();
      const read: LineReader["read"] = (line, from) => {
        lines += 1;
        return one.read(line, from);
      };
      return { read, partial: () => one.partial?.() === true };
    };
    const listener = listeners.start(
      ({ signals }) => {
        received.push(...signals.map((signal) => ({ at: clock, signal })));
        return Promise.resolve();
      },
      (listening) => {
        const reading = { world, session, spools: ["out", "err"], reader: counted, remembers: true } as const;
        return readSpool(reading, "", listening);
      },
    );
    try {
      for (let nth = 0; nth < PIECES; nth += 1, clock += APART_MS) await say(piece(`part ${String(nth)} `));
      await say(whole("all of it"));
      const voices = received.filter(({ signal }) => signal.kind === "speaking").map(({ at }) => at);
      const gaps = voices.map((at, nth) => at - (voices[nth - 1] ?? 0));
      assert.ok(Math.max(...gaps) < SPEAKING_APART_MS + 2 * APART_MS, `heard at ${voices.join(", ")}`);
      assert.ok(
        voices.length <= 1 + (PIECES * APART_MS) / SPEAKING_APART_MS,
        `${String(voices.length)} events`,
      );
      assert.equal(received.filter(({ signal }) => signal.kind === "message").length, 1);
      assert.deepEqual(
        received.filter(({ signal }) => signal.kind === "unknown"),
        [],
      );
    } finally {
      listener.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
