import type { EventData, EventType } from "../../src/model/events.ts";
import { runSettingsSchema } from "../../src/model/settings.ts";

const failure = { class: "transient", text: "it broke", fingerprint: "it broke" } as const;
const spec = { use: "demo", script: "hello" } as const;

/** One example of every event type; a type without one does not compile. */
export const EXAMPLES: { readonly [Type in EventType]: EventData<Type> } = {
  RunCreated: {
    goal: "mend the tests",
    flow: {
      name: "goal",
      steps: [{ name: "work", task: "mend the tests", agent: "dev", needs: [], authority: "writes" }],
      phases: [],
    },
    agents: { dev: spec },
    settings: runSettingsSchema.parse({}),
    budget: { usd: 5 },
    cwd: "/project",
    by: "cli",
  },
  RunClaimed: { owner: "own_1", epoch: 1, from: "nobody" },
  RunStarted: {},
  RequestHeard: { requestId: "req_1", request: { kind: "retry", step: "work" }, by: "cli" },
  RequestAnswered: { requestId: "req_1", answer: { kind: "refused", text: "no", allowedIn: ["paused"] } },
  RunStopping: { to: "paused", stop: "operator" },
  RunPaused: { stop: "shutdown" },
  RunResumed: {},
  RunBlocked: {
    blocked: {
      reason: "retries_exhausted",
      detail: "three times",
      step: "work",
      attemptKept: false,
      guidance: [],
    },
  },
  RunUnblocked: {},
  RunCompleted: { result: { answer: 42 } },
  RunFailed: { step: "work", failure },
  RunCancelled: { stop: "operator" },
  RunReopened: {},
  AttemptStarted: { attempt: "work#1", step: "work", number: 1, agent: "dev", session: "run_1.work.1" },
  SignalsHeard: {
    attempt: "work#1",
    cursor: "120",
    signals: [
      { kind: "ready" },
      { kind: "tool_call", name: "edit", args: "a.ts" },
      { kind: "usage", tokensIn: 10, tokensOut: 5, usd: 0.01 },
      { kind: "exit", how: "code", code: 0 },
    ],
  },
  SessionObserved: { attempt: "work#1", finding: "gone", detail: "no such process" },
  AttemptEnding: { attempt: "work#1", to: "timed_out", why: "too long" },
  AttemptEnded: { attempt: "work#1", outcome: "crashed", charged: true, why: "it broke", failure },
  StepSucceeded: { step: "work", attempt: "work#1", result: "done" },
  StepRetryScheduled: { step: "work", notBefore: 1_000 },
  StepFailed: { step: "work", failure },
  StepReset: { step: "work" },
  EffectIntended: {
    key: "work#1/StartAgent",
    effect: {
      kind: "StartAgent",
      attempt: "work#1",
      session: "run_1.work.1",
      agent: "dev",
      spec,
      task: "mend the tests",
      step: "work",
      number: 1,
      cwd: "/project",
    },
  },
  EffectSettled: { key: "work#1/StartAgent", outcome: { kind: "done", detail: "pid 1" } },
  LimitReached: { what: "signals of one batch", bound: 200, detail: "the rest follows" },
};
