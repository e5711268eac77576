import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { claudeTranscripts } from "../../../src/agents/meters/claude-transcript.ts";
import { codexRollouts } from "../../../src/agents/meters/codex-rollout.ts";
import { fileMeter, totalInLedger, type Ledger } from "../../../src/agents/meters/file-meter.ts";
import { geminiChats } from "../../../src/agents/meters/gemini-chats.ts";
import type { Signal, UsageSignal } from "../../../src/model/agent/signals.ts";

/** Recorded of a session whose four requests used 10,000 to 40,000 tokens, a tenth of them cached, and 101 to 404. */
interface Recorded {
  readonly name: string;
  readonly open: (home: string) => Ledger;
  readonly fixture: string;
  readonly conversation: string;
  readonly file: string;
  readonly model: string;
  /** Just before the third request was over. */
  readonly midway: string;
  readonly usedPct: number | undefined;
}

const THREAD = "01a1e755-9945-76c1-9c24-28f597ea6db4";
const SESSION = "92197165-8fd8-4dc7-831b-b72ec0efc46d";
const CHAT = "5c718aaa-3952-47ed-abd1-d86739b5aafc";

const RECORDED: readonly Recorded[] = [
  {
    name: "Codex",
    open: codexRollouts,
    fixture: "codex/rollout.jsonl",
    conversation: THREAD,
    file: `sessions/2026/11/17/rollout-2026-11-17T02-28-29-${THREAD}.jsonl`,
    model: "gpt-5.5",
    midway: "2026-11-17T02:28:32.000Z",
    usedPct: 15.6,
  },
  {
    name: "Claude Code",
    open: claudeTranscripts,
    fixture: "claude/transcript.jsonl",
    conversation: SESSION,
    file: `projects/-stage-repo/${SESSION}.jsonl`,
    model: "claude-opus-4-8",
    midway: "2026-11-17T02:28:24.000Z",
    usedPct: undefined,
  },
  {
    name: "Gemini CLI",
    open: geminiChats,
    fixture: "gemini/chat.jsonl",
    conversation: CHAT,
    file: "tmp/repo/chats/session-2026-11-17T02-29-5c718aaa.jsonl",
    model: "gemini-2.5-flash",
    midway: "2026-11-17T02:29:29.000Z",
    usedPct: 3.8,
  },
];

const ALL = { tokensInTotal: 100_000, cachedInTotal: 10_000, tokensOutTotal: 1_010, requestsTotal: 4 };
const SECOND_HALF = { tokensInTotal: 70_000, cachedInTotal: 7_000, tokensOutTotal: 707, requestsTotal: 2 };

function homeWith(t: TestContext, file: string): string {
  const home = mkdtempSync(path.join(tmpdir(), "holdfast-meter-"));
  t.after(() => rmSync(home, { recursive: true }));
  mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
  return home;
}

const textOf = ({ fixture }: Recorded): string =>
  readFileSync(path.join(import.meta.dirname, "fixtures", fixture), "utf8");

const counts = (signals: readonly Signal[]): unknown => {
  const [usage] = signals.filter((one): one is UsageSignal => one.kind === "usage");
  if (usage === undefined) return undefined;
  const { tokensInTotal, cachedInTotal, tokensOutTotal, requestsTotal } = usage;
  return { tokensInTotal, cachedInTotal, tokensOutTotal, requestsTotal };
};

for (const recorded of RECORDED) {
  const { name, open, conversation, file, model, midway, usedPct } = recorded;
  const meterIn = (home: string, startedAt = 0) => {
    let now = 0;
    const meter = fileMeter({ ledger: open(home), startedAt, now: () => (now += 10_000) });
    meter.received([{ kind: "conversation", id: conversation }]);
    return meter;
  };

  test(`G9 what ${name} writes down is counted request by request, each once, as its file grows`, (t) => {
    const home = homeWith(t, file);
    const meter = meterIn(home);
    assert.deepEqual(meter.read(false), [], "no file is no error");
    const totals: unknown[] = [];
    for (const line of textOf(recorded).split("\n").filter(Boolean)) {
      // In two pieces: half a line is waited for.
      appendFileSync(path.join(home, file), line.slice(0, 50));
      assert.deepEqual(meter.read(false), []);
      appendFileSync(path.join(home, file), `${line.slice(50)}\n`);
      const signals = meter.read(false);
      if (signals.length > 0) totals.push(counts(signals));
    }
    assert.equal(totals.length, 4);
    assert.deepEqual(totals.at(-1), ALL);
    assert.deepEqual(meter.read(true), [], "nothing is said twice");
  });

  test(`G9 of a conversation of ${name} that goes on only what its session adds is counted`, (t) => {
    const home = homeWith(t, file);
    writeFileSync(path.join(home, file), textOf(recorded));
    assert.deepEqual(counts(meterIn(home, Date.parse(midway)).read(true)), SECOND_HALF);
    const { tokensIn, tokensOut } = totalInLedger(open(home), conversation) ?? {};
    assert.deepEqual([tokensIn, tokensOut], [100_000, 1_010]);
    assert.equal(totalInLedger(open(home), conversation.replace(/^..../, "ffff")), undefined);
  });

  test(`G9 A4 the model and the context of ${name} are reported with what it uses`, (t) => {
    const home = homeWith(t, file);
    writeFileSync(path.join(home, file), textOf(recorded));
    const signals = meterIn(home).read(true);
    const [usage, context] = signals;
    assert.equal(usage?.kind === "usage" && usage.model, model);
    assert.deepEqual(context, usedPct === undefined ? undefined : { kind: "context", usedPct });
  });

  test(`G9 a link, a folder and rubbish in the place of ${name}'s file count nothing and fail nothing`, (t) => {
    const home = homeWith(t, file);
    const real = path.join(home, "elsewhere.jsonl");
    writeFileSync(real, textOf(recorded));
    symlinkSync(real, path.join(home, file));
    assert.deepEqual(meterIn(home).read(true), []);
    rmSync(path.join(home, file));
    mkdirSync(path.join(home, file));
    assert.deepEqual(meterIn(home).read(true), []);
    rmSync(path.join(home, file), { recursive: true });
    const rubbish = `{"type":"assistant"}\nnull\n[1]\n"x"\n{"payload":7}\n\0\n${"{".repeat(400_000)}\n`;
    writeFileSync(path.join(home, file), `${textOf(recorded)}${rubbish}`);
    assert.deepEqual(counts(meterIn(home).read(true)), ALL);
    for (const strange of ["../../etc/passwd", "*", "", "x".repeat(300)])
      assert.equal(open(home).find(strange), undefined, strange);
  });
}
