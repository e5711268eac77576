import { isDeepStrictEqual } from "node:util";
import { setTimeout as delay } from "node:timers/promises";
import { holdOf } from "../../../../src/decide/resources/shared-resources.ts";
import type { AgentSpec } from "../../../../src/model/flow/flow.ts";
import { openSystem, type System } from "../../../../src/main.ts";
import { configSchema } from "../../../../src/model/settings/config.ts";
import { sessionKey } from "../../../../src/model/ids.ts";
import type { RunState } from "../../../../src/model/state/run-state.ts";
import type { Signal } from "../../../../src/model/agent/signals.ts";
import { written } from "../agent-stage.ts";
import type { NamedPerformer } from "../performers.ts";
import { PROVIDER_FAULTS, type ProviderFault } from "./provider-faults.ts";
import { diagnosesIn, firstStuck } from "./diagnosis.ts";
import { expectationOf, misjudged, type Found } from "./fault-expectations.ts";
import { CONTENT } from "../scripts.ts";
import { outcomesIn, Show, signalsOfAttempt, story } from "../show.ts";

/** What became of one agent under one fault. */
export interface Cell {
  readonly agent: string;
  readonly fault: string;
  /** What the agent itself did. */
  readonly did: string;
  /** What of it was received. */
  readonly told: string;
  readonly outcome: string;
  /** What Holdfast made of it. */
  readonly diagnosis: string;
  readonly end: string;
  readonly seconds: number;
  /** Broken promises, no matter what was expected. */
  readonly broken: readonly string[];
  /** What is compared with what was expected; null where it could not be played. */
  readonly found: Found | null;
  /** It broke one when it was played before. */
  readonly again?: true;
  /** What was asked of the model, and the journal, for the one that wants to know more. */
  readonly story: string;
}

/** An attempt may take so long; a step has two, and one more as a remedy. Health is to be quicker than the limit. */
export const ATTEMPT_LIMIT_MS = 100_000;
/** Half an hour of silence, made short; what an agent needs to begin must still fit in. */
export const SILENCE_LIMIT_MS = 25_000;
const SLOW_MS: readonly (readonly [agents: RegExp, limitMs: number])[] = [
  [/^(?:opencode|qwen|goose|pi)\b/, 60_000],
  [/^kilo\b/, 150_000],
];
const silenceOf = ({ name }: NamedPerformer): number =>
  SLOW_MS.find(([agents]) => agents.test(name))?.[1] ?? SILENCE_LIMIT_MS;
const runLimitOf = (agent: NamedPerformer): number => 4 * ATTEMPT_LIMIT_MS + 2 * silenceOf(agent);

const settingsFor = (agent: NamedPerformer) => ({
  attempts: { perStep: 2, limitMs: Math.max(ATTEMPT_LIMIT_MS + silenceOf(agent), 2.5 * silenceOf(agent)) },
  startup: { termGraceMs: 1_000, firstOutputMs: silenceOf(agent) + 10_000 },
  health: {
    tickMs: 1_000,
    silenceMs: silenceOf(agent),
    turnDegradedMs: silenceOf(agent) - 10_000,
    turnStuckMs: silenceOf(agent),
  },
  ladder: { nudges: 1, nudgeMs: 1_000, strategyMs: 1_000, restarts: 1, restartMs: 1_000 },
  stale: { quietMs: 10_000 },
});
const HEAR_AGAIN_MS = 15_000;
const LONGEST_BACKOFF_MS = 20_000;
const STOPPED: ReadonlySet<RunState["status"]> = new Set([
  "completed",
  "failed",
  "cancelled",
  "blocked",
  "paused",
  "awaiting_approval",
]);

/** What it was to make of it, and all promises that were broken: also of a cell that was played before. */
export function decided({ agent, fault, broken, found }: Cell): {
  readonly expected: string;
  readonly violations: readonly string[];
} {
  const played = PROVIDER_FAULTS.find(({ name }) => name === fault);
  if (played === undefined) return { expected: "", violations: [`there is no fault named ${fault}`] };
  const expected = expectationOf(played, agent);
  const wrong = found === null ? [] : misjudged(found, expected);
  return { expected: expected.words, violations: [...broken, ...wrong] };
}

export async function playCell(agent: NamedPerformer, fault: ProviderFault): Promise<Cell> {
  const after: (() => unknown)[] = [];
  try {
    const show = await Show.open(
      { after: (work = () => undefined) => void after.push(work as () => unknown) },
      { ...agent.performer, settings: settingsFor(agent) },
      fault.script,
    );
    const begun = performance.now();
    await show.begin("Write hello.txt", "--check", "grep -q scripted hello.txt");
    const system = await openSystem({
      store: `sqlite:${show.bench.store}`,
      settings: configSchema.parse({}),
    });
    after.push(() => system.close());
    const state = await untilStopped(system, show.run, runLimitOf(agent));
    const seconds = Math.round((performance.now() - begun) / 1_000);
    return {
      agent: agent.name,
      fault: fault.name,
      seconds,
      ...(await assess(show, system, { agent, state })),
    };
  } finally {
    for (const work of after.reverse()) await work();
  }
}

/** A wait for a limit counts when it has lasted: agents that try again soon come out of it by themselves. */
const WAIT_LASTS_MS = 15_000;

async function untilStopped(system: System, run: string, limitMs: number): Promise<RunState | null> {
  let waitsSince: number | null = null;
  for (const until = Date.now() + limitMs; ; await delay(200)) {
    const state = await system.loadRun(run);
    const now = Date.now();
    waitsSince = state !== null && waitOf(state) !== null ? (waitsSince ?? now) : null;
    const waits = waitsSince !== null && now - waitsSince >= WAIT_LASTS_MS;
    if ((state !== null && STOPPED.has(state.status)) || waits || now > until) return state;
  }
}

/** `status` says who is waited for, or until when, whether an agent sits a limit out or was let go. */
function waitOf(state: RunState): string | null {
  if (STOPPED.has(state.status)) return null;
  if (Object.values(state.attempts).some(({ assessed }) => assessed.waitsFor === "person"))
    return "waits for a person";
  const now = Date.now();
  const live = Object.values(state.attempts);
  const steps = Object.values(state.steps).map((step) =>
    Math.max(step.notBefore ?? 0, holdOf(state, step, now)?.until ?? 0),
  );
  const until = live.length === 0 ? steps : live.map(({ assessed }) => limitEnd(assessed));
  const leftMs = Math.max(...until) - now;
  return leftMs > LONGEST_BACKOFF_MS && Number.isFinite(leftMs) ? "waits for the limit" : null;
}

const limitEnd = ({ waitsFor, until }: RunState["attempts"][string]["assessed"]): number =>
  waitsFor === "limit" ? (until ?? 0) : 0;

async function assess(
  show: Show,
  system: System,
  { agent, state }: { agent: NamedPerformer; state: RunState | null },
): Promise<Omit<Cell, "agent" | "fault" | "seconds">> {
  if (state !== null && Object.keys(state.attempts).length > 0) await endAll(show, system, runLimitOf(agent));
  const events = await show.events();
  const signals = signalsOfAttempt(events, 1);
  const status = state?.status ?? "never begun";
  const waits = state === null ? null : waitOf(state);
  const done = written(show.stage) === CONTENT;
  const reason = state?.blocked?.reason ?? (status === "paused" ? state?.stop : null) ?? null;
  const end = waits ?? (reason === null ? status : `${status}: ${reason}`);
  const found = {
    diagnoses: diagnosesIn(events),
    end,
    stuck: firstStuck(events),
    silenceMs: silenceOf(agent),
  };
  const requests = show.model.requests().filter(({ as }) => as === "turn").length;
  const broken = [
    // The fault strikes in the second turn: an agent that was ended before it was not under it.
    ...(requests < 2 ? ["its fault was never met"] : []),
    ...(state !== null && (STOPPED.has(state.status) || waits !== null)
      ? []
      : [`still ${status} after its limit`]),
    ...(status === "completed" && !done ? ["success without the work"] : []),
    ...(await lostOutput(show, system, signals)),
  ];
  return {
    did: `${String(requests)} requests; ${claimOf(signals)}; ${exitOf(signals)}${done ? "; work done" : ""}`,
    told: reportedOf(signals),
    outcome: outcomesIn(events).join(", ") || "none",
    diagnosis: diagnosisText(found),
    end,
    broken,
    found,
    story: [JSON.stringify(show.positions()), story(events)].join("\n"),
  };
}

function diagnosisText({
  diagnoses,
  stuck,
}: {
  diagnoses: readonly string[];
  stuck: ReturnType<typeof firstStuck>;
}): string {
  const after =
    stuck === null ? "" : ` (after ${String(Math.round(stuck.ms / 1_000))} s, ${String(stuck.calls)} calls)`;
  return `${diagnoses.join(", ") || "nothing"}${after}`;
}

/** An agent that sits a limit out is let go, so that all it said is on disk. */
async function endAll(show: Show, system: System, limitMs: number): Promise<void> {
  await show.bench.call(["cancel", show.run], { cwd: show.stage.repo });
  for (const until = Date.now() + limitMs; Date.now() < until; await delay(200)) {
    const state = await system.loadRun(show.run);
    if (Object.keys(state?.attempts ?? {}).length === 0) return;
  }
}

/** What is on disk is read again from its beginning: the journal must hold exactly that. */
async function lostOutput(show: Show, system: System, received: readonly Signal[]): Promise<string[]> {
  const spec = { use: show.use, command: ["x"] } as AgentSpec;
  const driver = system.ports.drivers.get(spec.use);
  if (driver === undefined) return [`no driver for ${spec.use}`];
  const again: Signal[] = [];
  await new Promise<void>((resolve) => {
    const limit = setTimeout(resolve, HEAR_AGAIN_MS);
    const session = sessionKey(show.run, "work", 1);
    const listener = driver.listen({ session, spec }, "", async ({ signals }) => {
      again.push(...signals);
      if (signals.at(-1)?.kind !== "exit") return;
      clearTimeout(limit);
      listener.close();
      resolve();
    });
  });
  // What is said on stdout and on stderr at one time may be received in either order.
  if (isDeepStrictEqual(sorted(again), sorted(received))) return [];
  return [`${String(received.length)} signals in the journal, ${String(again.length)} on disk`];
}

/** Totals, and that an answer comes, are of no line: how often they are received depends on when it was looked. */
const isOfLine = (signal: Signal): boolean =>
  signal.kind !== "speaking" && !(signal.kind === "usage" && Object.keys(signal).some(isTotal));
const isTotal = (name: string): boolean => name.endsWith("Total");

/** In which order a signal names its facts says nothing. */
const sorted = (signals: readonly Signal[]): string[] =>
  signals
    .filter(isOfLine)
    .map((signal) => JSON.stringify(Object.entries(signal).sort()))
    .sort();

function claimOf(signals: readonly Signal[]): string {
  const claim = signals.findLast((signal) => signal.kind === "result");
  if (claim?.kind !== "result") return "claims nothing";
  return claim.ok ? "claims success" : "claims failure";
}

function exitOf(signals: readonly Signal[]): string {
  const exit = signals.findLast((signal) => signal.kind === "exit");
  if (exit?.kind !== "exit") return "no exit";
  return exit.how === "code" ? `exit ${String(exit.code)}` : (exit.signal ?? exit.how);
}

const ERROR_CHARS_MAX = 90;

function reportedOf(signals: readonly Signal[]): string {
  const counted = new Map<string, number>();
  for (const { kind } of signals)
    if (kind === "rate_limit" || kind === "error" || kind === "tool_call")
      counted.set(kind, (counted.get(kind) ?? 0) + 1);
  const counts = [...counted].map(([kind, count]) => `${kind} × ${String(count)}`);
  const last = signals.findLast(({ kind }) => kind === "error" || kind === "rate_limit");
  const text = last !== undefined && "text" in last && last.text !== undefined ? last.text : "";
  const words = text.replaceAll(/\s+/g, " ").trim().slice(0, ERROR_CHARS_MAX);
  return [...counts, ...(words === "" ? [] : [`“${words}”`])].join(", ") || "nothing";
}
