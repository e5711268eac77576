import { type Effect, effectKey } from "../../model/effects/effects.ts";
import type { EventData, RunEvent } from "../../model/events/events.ts";
import type { Hook, HookPoint, HookReport } from "../../model/flow/hook.ts";
import { protectedRulesOf } from "../../model/flow/protected.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { treeOf, treeOfStep } from "../workspace/workspace-place.ts";

/** What hooks are called about. */
export interface Occasion {
  readonly point: HookPoint;
  /** The attempt, gate or escalation: hooks are called once for each. */
  readonly subject: string;
  readonly step?: string;
}

const hookKey = (hook: string, { point, subject }: Occasion): string => `${hook}@${point}/${subject}`;

const hooksAt = ({ settings }: RunState, { point, step }: Occasion): Hook[] =>
  settings.hooks.filter((hook) => hook.at === point && (hook.step === undefined || hook.step === step));

/** Whether the run has hooks that its steps' work waits for. */
export const isHooked = ({ settings }: RunState, ...points: readonly HookPoint[]): boolean =>
  settings.hooks.some(({ at }) => points.includes(at));

/**
 * Null where every hook of the occasion let it pass; else what is to be done first, one hook after the other. Nothing
 * while one is under way, or while a person is asked.
 */
export function hooksFirst(state: RunState, occasion: Occasion): RunEvent[] | null {
  for (const hook of hooksAt(state, occasion)) {
    const key = hookKey(hook.name, occasion);
    const found = state.rules.hooks[key];
    if (found?.outcome === "passed") continue;
    const isUnderWay = Object.values(state.effects).some(
      (one) => one.kind === "RunHook" && one.hookKey === key,
    );
    if (isUnderWay) return [];
    if (found?.outcome === "asked")
      return state.status === "running" ? [blockedBy(hook, occasion, found)] : [];
    if (found?.report !== undefined && found.report !== null)
      return decideReport(hook, occasion, found.report, key);
    return [intend(state, hook, occasion, key)];
  }
  return null;
}

function intend(state: RunState, hook: Hook, occasion: Occasion, key: string): RunEvent {
  const tree = occasion.step === undefined ? treeOf(state) : treeOfStep(state, occasion.step);
  const effect = {
    kind: "RunHook",
    hook,
    hookKey: key,
    ...occasion,
    cwd: tree,
    input: JSON.stringify({ run: state.run, goal: state.goal, ...occasion, hook: hook.name, cwd: tree }),
    rules: protectedRulesOf(state.settings.protected),
    // With agents at work nobody could say whose doing a change is.
    watched: Object.keys(state.attempts).length === 0,
  } as const;
  return {
    type: "EffectIntended",
    data: { key: effectKey(key, "RunHook", state.rules.hookRuns + 1), effect },
  };
}

function decideReport(hook: Hook, occasion: Occasion, report: HookReport, key: string): RunEvent[] {
  const { decision, message, failed, tampered, durationMs } = report;
  const isBlock = failed ? hook.onFailure === "block" : decision === "block";
  const mayBlock = occasion.point !== "on_escalation";
  const outcome =
    tampered.length > 0
      ? "tampered"
      : isBlock && mayBlock
        ? "blocked"
        : isBlock || failed || decision === "warn"
          ? "warned"
          : "passed";
  const why = tampered.length > 0 ? `it changed ${tampered.join(", ")}` : message;
  const evidence = [
    `${key} answered ${failed ? "nothing" : decision} after ${String(Math.round(durationMs))} ms`,
    ...(message === "" ? [] : [message]),
    ...tampered.map((path) => `changed: ${path}`),
  ];
  const { point, subject, step } = occasion;
  const data: EventData<"HookJudged"> = {
    hook: hook.name,
    point,
    subject,
    ...(step === undefined ? {} : { step }),
    outcome,
    why,
    evidence,
  };
  return [{ type: "HookJudged", data }];
}

function blockedBy(
  hook: Hook,
  { point, step }: Occasion,
  { reason, why }: { readonly reason?: "hook_block" | "hook_tamper" | "in_doubt"; readonly why?: string },
): RunEvent {
  const detail = `hook "${hook.name}" (${point.replaceAll("_", " ")}): ${why ?? "no answer"}`;
  return {
    type: "RunBlocked",
    data: {
      blocked: {
        reason: reason ?? "hook_block",
        detail,
        attemptKept: false,
        guidance: [],
        ...(step === undefined ? {} : { step }),
      },
    },
  };
}

/** The one that takes the run over doubts what is under way. */
export function doubtHooks(state: RunState): void {
  state.rules.doubted = Object.entries(state.effects).flatMap(([key, { kind }]) =>
    kind === "RunHook" ? [key] : [],
  );
}

export function settleHook(
  state: RunState,
  effect: Extract<Effect, { kind: "RunHook" }>,
  outcome: { readonly kind: string; readonly text?: string; readonly hook?: HookReport | undefined },
): void {
  const failed = (text: string): HookReport => ({
    decision: "block",
    message: text,
    failed: true,
    tampered: [],
    durationMs: 0,
  });
  state.rules.hooks[effect.hookKey] =
    outcome.kind === "in_doubt"
      ? { outcome: "asked", reason: "in_doubt", why: outcome.text ?? "", step: effect.step, report: null }
      : { outcome: "open", step: effect.step, report: outcome.hook ?? failed(outcome.text ?? "no answer") };
}

const REASONS = { blocked: "hook_block", tampered: "hook_tamper", in_doubt: "in_doubt" } as const;

/** The part of the fold that concerns hooks. */
export const evolveHook = {
  HookJudged(state: RunState, { hook, point, subject, step, outcome, why }: EventData<"HookJudged">): void {
    const key = hookKey(hook, { point, subject });
    state.rules.hooks[key] =
      outcome === "passed" || outcome === "warned"
        ? { outcome: "passed", step, report: null }
        : { outcome: "asked", reason: REASONS[outcome], why, step, report: null };
    state.rules.owed = state.rules.owed.filter((occasion) => hooksFirst(state, occasion) !== null);
  },
};

/** What has happened and has hooks to be called for. */
export function noteOccasions(state: RunState, event: RunEvent): void {
  if (state.settings.hooks.length === 0) return;
  const owe = (occasion: Occasion): void => {
    if (hooksAt(state, occasion).length > 0) state.rules.owed.push(occasion);
  };
  if (event.type === "StepSucceeded")
    owe({ point: "after_acceptance", subject: event.data.attempt, step: event.data.step });
  if (event.type === "EscalationRaised") owe({ point: "on_escalation", subject: event.data.escalation.id });
  const started = event.type === "EffectSettled" && event.data.outcome.kind === "done";
  const attempt = started ? /^(.+)\/StartAgent$/s.exec(event.data.key)?.[1] : undefined;
  const step = attempt === undefined ? undefined : state.attempts[attempt]?.step;
  if (attempt !== undefined && step !== undefined) owe({ point: "after_dispatch", subject: attempt, step });
}

const isThis = (blocked: RunState["blocked"], { reason, why }: RunState["rules"]["hooks"][string]): boolean =>
  blocked !== null && blocked.reason === reason && blocked.detail.endsWith(why ?? "");

/** A person lets go on what was asked about; a step that is tried again has its hooks called again. */
export function passHooks({ rules, blocked }: RunState): void {
  for (const [key, found] of Object.entries(rules.hooks))
    if (found.outcome === "asked" && isThis(blocked, found))
      rules.hooks[key] = { outcome: "passed", step: found.step, report: null };
}

export function forgetHooks({ rules }: RunState, step: string): void {
  for (const [key, found] of Object.entries(rules.hooks))
    if (found.outcome === "asked" && found.step === step) Reflect.deleteProperty(rules.hooks, key);
}
