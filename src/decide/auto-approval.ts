import { RISKS, type AutoFindings, type AutoRule, type Weighed } from "../model/auto-approval.ts";
import type { Gate, GateState } from "../model/flow/gate.ts";
import type { RunState, StepState } from "../model/state/run-state.ts";
import { matchesPattern } from "../model/text/wildcards.ts";
import { treeOf, writes } from "../fold/workspace/workspace-place.ts";

type Finding = AutoFindings["findings"][number];

const ruleOf = (spec: Gate | null): AutoRule | null =>
  typeof spec?.auto === "object" && spec.credentialed !== true ? spec.auto : null;

/** Whether nobody has to be asked: always, or because all conditions hold. */
export const approvesItself = (spec: Gate, found: AutoFindings | null): boolean =>
  spec.credentialed !== true && (spec.auto === true || (found !== null && found.met && !found.dryRun));

/**
 * The snapshot that the work at a gate is measured against: what the gate before has let pass, or the first of the
 * run's tree. Only where a condition is about it.
 */
export function weighedAgainst(state: RunState, { spec, previous }: GateState): { readonly weigh?: string } {
  const rule = ruleOf(spec);
  if (rule === null || (rule.paths ?? rule.filesMax ?? rule.linesMax) === undefined) return {};
  const tree = treeOf(state);
  const before = previous === null ? undefined : state.gates[previous]?.asked?.snapshot;
  const first = Object.values(state.checkpoints).find((checkpoint) => checkpoint.tree === tree);
  const weigh = before ?? first?.snapshot.id;
  return weigh === undefined ? {} : { weigh };
}

/** What the conditions of a gate find of the work that it is about; null where it has none. Pure: recorded facts alone count. */
export function autoFindings(state: RunState, gate: GateState): AutoFindings | null {
  const rule = ruleOf(gate.spec);
  if (rule === null) return null;
  const work = gate.look?.work ?? gate.asked?.work ?? null;
  const findings = [
    ...(rule.paths === undefined ? [] : [pathsFinding(rule.paths, work)]),
    ...(rule.filesMax === undefined ? [] : [filesFinding(rule.filesMax, work)]),
    ...(rule.linesMax === undefined ? [] : [linesFinding(rule.linesMax, work)]),
    ...(rule.checks === undefined ? [] : [checksFinding(state, gate)]),
    ...(rule.risk === undefined ? [] : [riskFinding(state, gate, rule.risk)]),
  ];
  return { met: findings.every(({ met }) => met), dryRun: rule.dryRun === true, findings };
}

/** For the question that a person is asked instead. */
export function autoText(found: AutoFindings | null): string {
  if (found === null) return "";
  if (found.met) return "; its conditions would have approved it (dryRun)";
  const unmet = found.findings.filter(({ met }) => !met).map(({ why }) => why);
  return `; not approved by itself: ${unmet.join("; ")}`;
}

const UNKNOWN = "what was changed is not known (no checkpoints are taken)";
const NAMED_MAX = 3;

function pathsFinding(paths: readonly string[], work: Weighed | null): Finding {
  const condition = "paths";
  if (work === null) return { condition, met: false, why: UNKNOWN };
  const beyond = work.files.filter((file) => !paths.some((pattern) => matchesPattern(pattern, file)));
  const why = `${beyond.slice(0, NAMED_MAX).join(", ")}${beyond.length > NAMED_MAX ? ` and ${String(beyond.length - NAMED_MAX)} more` : ""} ${beyond.length === 1 ? "is" : "are"} not within ${paths.join(", ")}`;
  if (beyond.length > 0) return { condition, met: false, why };
  if (work.count > work.files.length)
    return {
      condition,
      met: false,
      why: `${String(work.count)} files were changed, more than are looked at one by one`,
    };
  return {
    condition,
    met: true,
    why: `all ${String(work.count)} changed files are within ${paths.join(", ")}`,
  };
}

function filesFinding(max: number, work: Weighed | null): Finding {
  const condition = "filesMax";
  if (work === null) return { condition, met: false, why: UNKNOWN };
  return {
    condition,
    met: work.count <= max,
    why: `${String(work.count)} of at most ${String(max)} files were changed`,
  };
}

function linesFinding(max: number, work: Weighed | null): Finding {
  const condition = "linesMax";
  if (work === null) return { condition, met: false, why: UNKNOWN };
  if (work.binary > 0)
    return {
      condition,
      met: false,
      why: `${String(work.binary)} binary files were changed, whose size in lines is not known`,
    };
  return {
    condition,
    met: work.lines <= max,
    why: `${String(work.lines)} of at most ${String(max)} lines were changed`,
  };
}

const stepsAt = (state: RunState, { members }: GateState): StepState[] =>
  members.flatMap((name) => state.steps[name] ?? []).filter(({ status }) => status !== "skipped");

/** A gate asks only once its own checks have passed, and a step is done only once its have. */
function checksFinding(state: RunState, gate: GateState): Finding {
  const condition = "checks";
  if ((gate.spec?.checks ?? []).length > 0)
    return { condition, met: true, why: "the checks of the gate passed" };
  const bare = stepsAt(state, gate).filter((step) => writes(step) && step.spec.checks.length === 0);
  if (bare.length === 0) return { condition, met: true, why: "the checks of all its steps passed" };
  const names = bare.map(({ spec }) => spec.name).join(", ");
  return { condition, met: false, why: `nothing has checked the work of ${names}` };
}

function riskFinding(state: RunState, gate: GateState, most: (typeof RISKS)[number]): Finding {
  const condition = "risk";
  const steps = stepsAt(state, gate);
  const unnamed = steps.find(({ spec }) => spec.risk === undefined);
  if (unnamed !== undefined)
    return { condition, met: false, why: `the step ${unnamed.spec.name} has no risk label` };
  const over = steps.find(({ spec }) => RISKS.indexOf(spec.risk ?? "high") > RISKS.indexOf(most));
  return over === undefined
    ? { condition, met: true, why: `no step has a risk above ${most}` }
    : {
        condition,
        met: false,
        why: `the risk of the step ${over.spec.name} is ${over.spec.risk ?? "high"}, above ${most}`,
      };
}
