import { lacksTrust } from "../../model/flow/bindings.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { GuardReport } from "../../model/flow/protected.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { GuardState } from "../../model/state/kept-state.ts";
import { guardedTrees, rulesOfTree, treesAround } from "./guard-rules.ts";
import { newGuard } from "../../fold/gate/evolve-guard.ts";
import { treeOfStep } from "../../fold/workspace/workspace-place.ts";
import { answered, refusedFor, type Verdict } from "../dispatch/verdict.ts";

/** So often a look that fails is tried again before a person is asked. */
const LOOKS_MAX = 3;

/**
 * Protected files (W9) are looked at before agents begin, every so often while they work, and before their work is
 * accepted. What an agent has changed is undone and reported. What changed while no agent was at work is a person's,
 * who is asked. What cannot be undone, or comes again and again, is for a person too.
 */
export function decideGuards(state: RunState, now: number): RunEvent[] {
  for (const [tree, guard] of Object.entries(state.guards)) {
    if (guard.report !== null) {
      const events = decideReport(state, { tree, guard, report: guard.report });
      if (events.length > 0) return events;
    }
    if (guard.failures >= LOOKS_MAX && state.status === "running")
      return [blocked(state, `protected files could not be looked at: ${guard.lastFailure}`)];
  }
  const due = guardedTrees(state).find(
    ({ tree }) => now >= nextGuardOf(state, tree) || isLeftBehind(state, tree),
  );
  return due === undefined ? [] : guardTree(state, due.tree);
}

/** Agents are gone and nobody has looked since: what a person changes from now on is not theirs. */
function isLeftBehind(state: RunState, tree: string): boolean {
  const guard = state.guards[tree];
  if (guard === undefined || guard.exposedTo.length === 0 || guard.failures >= LOOKS_MAX) return false;
  return Object.keys(state.attempts).length === 0 && state.blocked?.reason !== "protected_files";
}

/** When agents at work have their protected files looked at next. */
export const nextGuard = (state: RunState): number =>
  Math.min(...guardedTrees(state).map(({ tree }) => nextGuardOf(state, tree)));

/** At once where something has stirred. */
function nextGuardOf(state: RunState, tree: string): number {
  const guard = state.guards[tree];
  if (guard === undefined || Object.keys(state.attempts).length === 0 || isUnderWay(state)) return Infinity;
  return guard.stirred ? guard.checkedAt : guard.checkedAt + state.settings.protected.everyMs;
}

/** Null where an agent may begin: all was looked at, and nobody has begun since. Otherwise a look comes first. */
export function guardFirst(state: RunState, step: string): RunEvent[] | null {
  const unseen = treesAround(state, step).find((tree) => state.guards[tree]?.fresh !== true);
  return unseen === undefined ? null : guardTree(state, unseen);
}

/** What an attempt has left is looked at before it is assessed; the tree that it worked in comes last. */
export function guardAfter(state: RunState, attempt: string, step: string): RunEvent[] {
  const own = treeOfStep(state, step);
  const shared = treesAround(state, step).find(
    (tree) => tree !== own && state.guards[tree]?.exposedTo.includes(attempt) === true,
  );
  return guardTree(state, shared ?? own);
}

const isUnderWay = (state: RunState): boolean =>
  Object.values(state.effects).some(({ kind }) => kind === "GuardFiles");

/** Has a tree looked at, unless that is under way or waits to be assessed. */
function guardTree(state: RunState, tree: string): RunEvent[] {
  const { trusted, report, exposedTo, bringBack } = state.guards[tree] ?? newGuard();
  if (isUnderWay(state) || report !== null) return [];
  const key = effectKey("protected", "GuardFiles", state.guardChecks + 1);
  const rules = rulesOfTree(state, tree);
  const undo = exposedTo.length > 0 || bringBack;
  const effect = { kind: "GuardFiles", tree, rules, trusted, undo } as const;
  return [{ type: "EffectIntended", data: { key, effect } }];
}

interface Reported {
  readonly tree: string;
  readonly guard: GuardState;
  readonly report: GuardReport;
}

function decideReport(state: RunState, { tree, guard, report }: Reported): RunEvent[] {
  const { trusted, paths, findings, count, undone, failure, limit } = report;
  const noted: RunEvent = { type: "FilesTrusted", data: { tree, trusted, paths, by: "holdfast" } };
  if (guard.trusted === null)
    return [noted, ...(limit === undefined ? [] : [{ type: "LimitReached", data: limit } as const])];
  const byNobody = guard.exposedTo.length === 0;
  // Written again and the same: where no agent was at work it is nobody's business.
  if (byNobody && findings.every(({ act }) => act === "rewritten")) return [noted];
  const why = failure === undefined ? {} : { failure };
  const changed: RunEvent = {
    type: "ProtectedFilesChanged",
    data: { tree, trusted, findings, count, undone, attempts: guard.exposedTo, ...why },
  };
  const asks = askText(state, { tree, guard, report });
  if (asks === null) return [changed];
  return state.status === "running" ? [changed, blocked(state, asks)] : [];
}

function askText(state: RunState, { guard, report }: Reported): string | null {
  const { findings, count, undone, failure } = report;
  const first = findings.slice(0, 3).map(({ path, act }) => `${path} (${act})`);
  const what = `${first.join(", ")}${count > first.length ? ` and ${String(count - first.length)} more` : ""}`;
  if (!undone && failure !== undefined) return `protected files could not be brought back: ${failure}`;
  if (!undone) return `protected files were changed while no agent was at work: ${what}`;
  if (guard.found + 1 < state.settings.protected.times) return null;
  return `agents changed protected files ${String(guard.found + 1)} times; the last time: ${what}`;
}

const blocked = (state: RunState, detail: string): RunEvent => {
  const [step] = [...Object.values(state.attempts).map((one) => one.step), ...Object.keys(state.checking)];
  return {
    type: "RunBlocked",
    data: {
      blocked: {
        reason: "protected_files",
        detail,
        attemptKept: Object.keys(state.attempts).length > 0,
        guidance: [],
        ...(step === undefined ? {} : { step }),
      },
    },
  };
};

/** A step that was not started for want of trust is started once it is given, and its hooks are called. */
function startAgain({ blocked }: RunState): RunEvent[] {
  const step = blocked?.step;
  return step !== undefined && lacksTrust(blocked?.detail) ? [{ type: "StepReset", data: { step } }] : [];
}

/** A person accepts what was shown, byte for byte, or has it undone. */
export function trustFiles(
  state: RunState,
  { trees, undo }: Extract<RunRequest, { kind: "trust" }>,
  by: string,
): Verdict {
  const { reason, detail } = state.blocked ?? {};
  const isAsked = reason === "protected_files" || reason === "hook_tamper" || lacksTrust(detail);
  const foreign = trees.find(({ tree }) => !Object.hasOwn(state.guards, tree));
  if (foreign !== undefined)
    return refusedFor(
      `trust is refused: the run protects nothing in ${foreign.tree}; its trees are ${Object.keys(state.guards).join(", ") || "none yet"}`,
    );
  const goOn: RunEvent[] = isAsked ? [...startAgain(state), { type: "RunUnblocked", data: {} }] : [];
  if (undo === true)
    return answered("the protected files will be brought back", [
      { type: "FilesDistrusted", data: { by } },
      ...goOn,
    ]);
  const trusted = trees.map((one): RunEvent => ({ type: "FilesTrusted", data: { ...one, by } }));
  const paths = trees.reduce((sum, one) => sum + one.paths, 0);
  return answered(`trusted: ${String(paths)} protected paths as they are`, [...trusted, ...goOn]);
}
