import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { claudeAgent } from "../../../src/agents/claude/claude-agent.ts";
import { codexAgent } from "../../../src/agents/codex/codex-agent.ts";
import { geminiAgent } from "../../../src/agents/gemini/gemini-agent.ts";
import { conversationName } from "../../../src/agents/headless/conversation-name.ts";
import { findProgram } from "../../../src/agents/find-program.ts";
import { namedWait, providerError } from "../../../src/agents/headless/provider-error.ts";
import { NO_TOKENS } from "../../../src/agents/headless/headless-agent.ts";
import { usedBefore } from "../../../src/agents/headless/used-before.ts";
import { sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { opencodeAgent } from "../../../src/agents/opencode/opencode-agent.ts";
import { CONVERSATION_MISSING } from "../../../src/model/agent/signals.ts";
import { HEADLESS_AGENTS, signalsOf, STARTED_AT } from "./headless-agents.ts";

const TASK = {
  args: ["--mine"],
  conversation: "an-id",
} as const;

test("A1 an agent is given the arguments that were configured for it", () => {
  for (const agent of HEADLESS_AGENTS) assert.ok(agent.argv(TASK).includes("--mine"), agent.use);
});

test("A6 each agent is instructed to continue a conversation in its own way, and given a new one where it takes one", () => {
  const words = (agent: (typeof HEADLESS_AGENTS)[number], resume?: string): string =>
    agent.argv({ ...TASK, resume }).join(" ");
  assert.match(words(claudeAgent), /--session-id an-id/);
  assert.match(words(claudeAgent, "old"), /--resume old/);
  assert.doesNotMatch(words(claudeAgent, "old"), /--session-id/);
  assert.match(words(geminiAgent), /--session-id an-id/);
  assert.match(words(geminiAgent, "old"), /--resume old/);
  assert.match(words(codexAgent, "old"), /resume old -- -$/);
  assert.match(words(opencodeAgent, "old"), /--session old/);
});

test("A6 P4 what an agent prints as its conversation is never an option or a path of its next start", () => {
  const lines: Record<string, (id: string) => object> = {
    claude: (id) => ({ type: "system", subtype: "init", session_id: id }),
    codex: (id) => ({ type: "thread.started", thread_id: id }),
    gemini: (id) => ({ type: "init", session_id: id }),
    opencode: (id) => ({ type: "step_start", sessionID: id, part: {} }),
  };
  const received = (agent: (typeof HEADLESS_AGENTS)[number], id: string): string[] =>
    signalsOf(agent, [{ text: JSON.stringify(lines[agent.use]?.(id)), from: "out" }]).map(({ kind }) => kind);
  for (const agent of HEADLESS_AGENTS) {
    assert.ok(received(agent, "0199-ab_c.d").includes("conversation"), agent.use);
    for (const id of [
      "--dangerously-skip-permissions",
      "-c",
      "../../etc",
      "a b",
      "a\0b",
      "",
      "x".repeat(201),
    ]) {
      assert.ok(!received(agent, id).includes("conversation"), `${agent.use} ${JSON.stringify(id)}`);
    }
  }
});

test("A1 permissions chosen by a person take the place of ours; a model is passed on", () => {
  const words = (args: readonly string[]): readonly string[] =>
    claudeAgent.argv({ ...TASK, args, model: "m" });
  assert.ok(words([]).includes("acceptEdits"));
  assert.ok(!words(["--permission-mode", "plan"]).includes("acceptEdits"));
  assert.ok(!words(["--permission-mode=plan"]).includes("acceptEdits"));
  assert.deepEqual(words([]).slice(words([]).indexOf("--model"), words([]).indexOf("--model") + 2), [
    "--model",
    "m",
  ]);
  const sandboxed = codexAgent.argv({ ...TASK, args: ["--sandbox", "workspace-write"] });
  assert.ok(!sandboxed.some((word) => word.startsWith("--dangerously")));
});

test("A6 a conversation's name is a UUID made of the session: always the same, and another for another", () => {
  assert.match(
    conversationName("a"),
    /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  assert.equal(conversationName("a"), conversationName("a"));
  assert.notEqual(conversationName("a"), conversationName("b"));
});

test("A7 a wait is read as a span, or as the next such time of day after the start", () => {
  assert.deepEqual(namedWait("Rate limit reached. Please try again in 1.5s.", 0), { retryAfterMs: 1_500 });
  assert.deepEqual(namedWait("try again in 2 days 3 hours 5 minutes", 0), { retryAfterMs: 183_900_000 });
  assert.deepEqual(namedWait("You've hit your limit · resets 8:26am (UTC)", STARTED_AT), {
    resetsAt: Date.UTC(2026, 10, 15, 8, 26),
  });
  assert.deepEqual(namedWait("resets 6am (UTC)", STARTED_AT), { resetsAt: Date.UTC(2026, 10, 16, 6) });
  const { resetsAt } = namedWait("or try again at 8:12 AM.", STARTED_AT);
  assert.ok(resetsAt !== undefined && resetsAt > STARTED_AT && resetsAt <= STARTED_AT + 86_400_000);
  assert.deepEqual([new Date(resetsAt).getHours(), new Date(resetsAt).getMinutes()], [8, 12]);
  assert.deepEqual(namedWait("no wait is named here at 5", STARTED_AT), {});
});

test("A7 G8 an error is reported with the provider's status and code wherever they stand in it", () => {
  assert.deepEqual(
    providerError('[API Error: {"error":{"code":401,"message":"no key","status":"UNAUTHENTICATED"}}]', {}, 0),
    [{ kind: "error", text: "no key", terminal: true, status: 401, code: "UNAUTHENTICATED" }],
  );
  assert.deepEqual(
    providerError("exceeded retry limit, last status: 429 Too Many Requests", {}, 0)[0]?.kind,
    "rate_limit",
  );
  assert.deepEqual(providerError("it broke", { status: 503 }, 0), [
    { kind: "error", text: "it broke", terminal: false, status: 503 },
  ]);
});

test("A6 each agent's word that a conversation is gone, and a provider's that its history is broken, is reported as such", () => {
  const gone = {
    claude: "No conversation found with session ID: 1-2-3",
    codex: "Error: thread/resume: thread/resume failed: no rollout found for thread id 1-2-3 (code -32600)",
    gemini: "Error resuming session: No previous sessions found for this project.",
    opencode: "\u001b[91m\u001b[1mError: \u001b[0mSession not found",
  } as const;
  for (const agent of HEADLESS_AGENTS) {
    const text = gone[agent.use as keyof typeof gone];
    const [signal] = signalsOf(agent, [{ text, from: "err" }]);
    assert.ok(
      signal?.kind === "error" && signal.code === CONVERSATION_MISSING && !signal.terminal,
      agent.use,
    );
  }
  const broken =
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  const [signal] = providerError(JSON.stringify({ error: { code: 400, message: broken } }), {}, 0);
  assert.ok(signal?.kind === "error" && signal.code === CONVERSATION_MISSING && signal.status === undefined);
});

test("A7 G3 Codex counts a whole conversation: a resumed session is charged for what it adds, whichever attempt reported last", async () => {
  const sessions = mkdtempSync(path.join(tmpdir(), "holdfast-used-"));
  const total = (tokensIn: number, tokensOut: number): string =>
    JSON.stringify({ type: "turn.completed", usage: { input_tokens: tokensIn, output_tokens: tokensOut } });
  const spool = (number: number, ...lines: string[]): void => {
    const folder = sessionFolder(sessions, `r1.work.${String(number)}`);
    mkdirSync(folder.folder);
    writeFileSync(folder.out, lines.map((line) => `${line}\n`).join(""));
  };
  const begun = JSON.stringify({ type: "thread.started", thread_id: "thread-1" });
  spool(1, begun, total(29_051, 51));
  // Killed before it told anything.
  spool(2, begun);
  const order = {
    run: "r1",
    step: "work",
    attempt: "work#3",
    session: "r1.work.3",
    task: "t",
    cwd: "/",
  } as const;
  const at = (number: number, resume?: string): Promise<unknown> =>
    usedBefore(codexAgent, { sessions }, { ...order, number, resume, spec: { use: "codex" } });
  assert.deepEqual(await at(3, "thread-1"), { tokensIn: 29_051, cachedIn: 0, tokensOut: 51 });
  assert.deepEqual(await at(3, "thread-2"), NO_TOKENS);
  assert.deepEqual(await at(3), NO_TOKENS);
  rmSync(sessions, { recursive: true });
  const lines = [{ text: total(38_975, 63), from: "out" as const }];
  const before = { tokensIn: 29_051, cachedIn: 0, tokensOut: 51 };
  assert.deepEqual(signalsOf(codexAgent, lines, before)[0], {
    kind: "usage",
    tokensInTotal: 9_924,
    cachedInTotal: 0,
    tokensOutTotal: 12,
  });
  const alone = [{ text: total(9_704, 12), from: "out" as const }];
  assert.deepEqual(signalsOf(codexAgent, alone, before)[0], {
    kind: "usage",
    tokensInTotal: 9_704,
    cachedInTotal: 0,
    tokensOutTotal: 12,
  });
});

test("A5 a refusal in words is no claim where nothing was done, and the same words after work are", () => {
  const said = {
    type: "item.completed",
    item: { id: "1", type: "agent_message", text: "I can't help with that." },
  };
  const worked = {
    type: "item.completed",
    item: { id: "0", type: "command_execution", command: "ls", exit_code: 0 },
  };
  const over = { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } };
  const claims = (...events: readonly unknown[]): boolean =>
    signalsOf(
      codexAgent,
      events.map((event) => ({ text: JSON.stringify(event), from: "out" as const })),
    ).some((signal) => signal.kind === "result" && signal.ok);
  assert.equal(claims(said, over), false);
  assert.equal(claims(worked, said, over), true);
});

test("A1 a program is found by its name on PATH or by its path, and only if it can be run", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-path-"));
  writeFileSync(path.join(folder, "there"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(path.join(folder, "text"), "words", { mode: 0o644 });
  mkdirSync(path.join(folder, "folder"));
  assert.equal(findProgram("there", `/nowhere::${folder}`, "/"), path.join(folder, "there"));
  assert.equal(findProgram("./there", "", folder), path.join(folder, "there"));
  for (const name of ["text", "folder", "missing", "../there"])
    assert.equal(findProgram(name, folder, folder), undefined, name);
  rmSync(folder, { recursive: true });
});
