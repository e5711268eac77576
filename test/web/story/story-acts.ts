import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Act } from "./story-agents.ts";

const SECOND = 1_000;
let calls = 0;

export const begins: Act = {
  afterMs: 1_500,
  signals: [{ kind: "ready" }, { kind: "conversation", id: "c-4f2a91" }],
};

export const says = (text: string, afterS = 6): Act => ({
  afterMs: afterS * SECOND,
  signals: [{ kind: "message", from: "agent", text }],
});

/** A tool is called, and answers a little later. */
export const uses = (name: string, args: string, text: string, ok = true): Act[] => {
  calls += 1;
  const callId = `call_${String(calls)}`;
  return [
    { afterMs: 9 * SECOND, signals: [{ kind: "tool_call", callId, name, args }] },
    { afterMs: 4 * SECOND, signals: [{ kind: "tool_result", callId, name, ok, text }] },
  ];
};

export const writes = (file: string, text: string): Act[] => {
  const [call, result] = uses("edit", file, `${file}: ${String(text.split("\n").length)} lines`);
  const does = (cwd: string): void => {
    mkdirSync(path.dirname(path.join(cwd, file)), { recursive: true });
    writeFileSync(path.join(cwd, file), text);
  };
  return [call ?? begins, { afterMs: 4 * SECOND, ...result, does }];
};

export const spends = (usd: number, tokensIn: number, usedPct: number): Act => ({
  afterMs: SECOND,
  signals: [
    { kind: "usage", usd, tokensIn, tokensOut: Math.round(tokensIn / 14), requests: 3, model: "opus" },
    { kind: "context", usedPct },
  ],
});

/** Minutes of ordinary work: reading, running, thinking, each time something new. */
export const works = (minutes: number, topic: string, from = 10): Act[] =>
  Array.from({ length: Math.max(1, Math.round(minutes * 1.5)) }, (_, at): Act[] => [
    ...uses(
      "read",
      `src/${topic}/${WORDS[at % WORDS.length] ?? "a"}-${String(at)}.ts`,
      `${String(60 + at * 7)} lines of ${topic}`,
    ),
    says(`${WORDS[(at * 3) % WORDS.length] ?? ""}: part ${String(at + 1)} of ${topic} is clear now.`, 18),
    spends(0.04 + (at % 5) * 0.013, 2_100 + at * 130, Math.min(88, from + at * 2)),
  ]).flat();

const WORDS = [
  "session",
  "cookie",
  "router",
  "parser",
  "cache",
  "schema",
  "worker",
  "digest",
  "limits",
  "report",
];

export const ends = (text: string): Act => ({
  afterMs: 5 * SECOND,
  signals: [
    { kind: "result", ok: true, text },
    { kind: "exit", how: "code", code: 0 },
  ],
});

export const givesUp = (text: string): Act => ({
  afterMs: 5 * SECOND,
  signals: [
    { kind: "result", ok: false, text },
    { kind: "exit", how: "code", code: 0 },
  ],
});

export const crashes = (text: string): Act => ({
  afterMs: 5 * SECOND,
  signals: [
    { kind: "error", text, terminal: false },
    { kind: "exit", how: "code", code: 134 },
  ],
});

export const asks = (reason: string, text: string): Act => ({
  afterMs: 5 * SECOND,
  signals: [{ kind: "blocked", reason, text }],
});

/** The provider refuses until that time. */
export const isLimited = (resetsAt: number): Act => ({
  afterMs: 3 * SECOND,
  signals: [
    { kind: "rate_limit", text: "5-hour limit reached", resetsAt },
    { kind: "error", text: "429 rate_limit_error: 5-hour limit reached", terminal: false, status: 429 },
    { kind: "exit", how: "code", code: 1 },
  ],
});

/** The same call with the same answer, again and again. */
export const goesRound = (times: number): Act[] =>
  Array.from({ length: times }, () =>
    uses("bash", "npm test -- session", "1 failing: refresh token is rotated", false),
  ).flat();
