import type { Artifact, Handed, OutputsReport } from "../../model/effects/artifact.ts";
import type { Basis } from "../../model/state/baseline.ts";
import { PLAN_FILE } from "../../model/flow/flow-file.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { valuesRead } from "../dispatch/conditions.ts";
import { keepProposal, proposalMade } from "../workspace/decide-proposals.ts";
import { askAboutJoin, conflictWords, joinRefused, joinWork } from "../workspace/decide-step-trees.ts";
import { decidePlan } from "../dispatch/plan.ts";
import { failureOf } from "../attempt/retry-class.ts";
import { basisOf } from "../attempt/success-rule.ts";
import { cwdOf } from "../workspace/workspace-place.ts";
import { proposes, worksApart } from "../../fold/workspace/workspace-place.ts";

/** So often declared outputs are looked at where that fails; then a person is asked (I6). */
const LOOKS_MAX = 3;

/**
 * Work whose checks have passed is done if it has delivered what was declared (W10). What is missing or not as declared
 * goes back to the agent with what was found, as often as a check that fails.
 */
export function decideOutputs(state: RunState, step: StepState, now: number): RunEvent[] {
  const { checking, spec } = step;
  if (checking === null) return [];
  if ((spec.outputs ?? []).length === 0) return isDone(state, step, { artifacts: [], now });
  if (checking.outputs !== null && checking.outputs.problems.length > 0)
    return sentBack(state, step, { text: feedbackOf(checking.outputs), verdict: "fail", now });
  if (checking.outputs !== null) {
    const plan = decidePlan(state, step);
    if (plan !== null && "problems" in plan)
      return sentBack(state, step, { text: planFeedback(plan.problems), verdict: "fail", now });
    const events = isDone(state, step, { artifacts: checking.outputs.artifacts, now });
    // A plan counts with the work that it is of, not while that is still to be kept.
    const isOver = events.some(({ type }) => type === "StepSucceeded" || type === "ProposalMade");
    return [...(isOver ? (plan?.planned ?? []) : []), ...events];
  }
  if (checking.lookFailures >= LOOKS_MAX) {
    const text = `its outputs could not be looked at: ${checking.lookFailure}`;
    return sentBack(state, step, { text, verdict: "unknown", now });
  }
  return isUnderWay(state, spec.name) ? [] : intendLook(state, step);
}

/** The changes of a step that only proposes are in no tree of the run's: they are kept as a patch. */
function isDone(
  state: RunState,
  step: StepState,
  { artifacts, now }: { readonly artifacts: OutputsReport["artifacts"]; readonly now: number },
): RunEvent[] {
  const { checking, spec } = step;
  if (checking === null) return [];
  const events = passed(step, artifacts, basisOf(state, step));
  if (worksApart(state.settings, step)) return isJoined(state, step, { events, now });
  if (!proposes(step)) return events;
  const { proposed } = checking;
  if (proposed === null) return keepProposal(state, step, now);
  if (proposed.kind === "unproposed")
    return sentBack(state, step, { text: proposed.why, verdict: "fail", now });
  // Of work that changes nothing there is nothing to propose.
  if (proposed.count === 0) return events;
  return [
    ...events.filter(({ type }) => type !== "StepSucceeded"),
    proposalMade(state, { step: spec.name, attempt: checking.attempt }, proposed),
  ];
}

/** What was made in a tree of its own is done once it is on the run's branch. */
function isJoined(
  state: RunState,
  step: StepState,
  { events, now }: { readonly events: RunEvent[]; readonly now: number },
): RunEvent[] {
  const { attempt, joined = null } = step.checking ?? {};
  const own = state.workspace.trees[step.spec.name];
  // A journal may hold an attempt that began before its step got a tree.
  if (own === undefined || attempt === undefined) return events;
  if (joined === null) return joinWork(state, step, now);
  if (joined.kind === "joined") {
    const { commit, work, branch, into, how, files, count, snapshot } = joined;
    const facts = { commit, work, branch, into, how, files, count, snapshot };
    return [{ type: "WorkJoined", data: { step: step.spec.name, attempt, ...facts } }, ...events];
  }
  const refused = joinRefused(step, joined);
  if (joined.cause !== "conflict") return [refused, askAboutJoin(state, step, joined.why)];
  const text = conflictWords(own.branch, joined.files, joined.work);
  return [refused, ...sentBack(state, step, { text, verdict: "fail", now })];
}

const isUnderWay = (state: RunState, name: string): boolean =>
  Object.values(state.effects).some((effect) => effect.kind === "CollectOutputs" && effect.step === name);

function intendLook(state: RunState, { spec, checking }: StepState): RunEvent[] {
  if (checking === null) return [];
  const key = effectKey(checking.attempt, "CollectOutputs", checking.looks + 1);
  const read = valuesRead(state, spec.name);
  const effect = {
    kind: "CollectOutputs",
    attempt: checking.attempt,
    step: spec.name,
    tree: cwdOf(state, spec.name),
    outputs: spec.outputs ?? [],
    fileBytesMax: state.settings.outputs.fileBytesMax,
    ...(read.length === 0 ? {} : { read }),
  } as const;
  return [{ type: "EffectIntended", data: { key, effect } }];
}

function passed(
  { spec, result, checking }: StepState,
  artifacts: OutputsReport["artifacts"],
  basis: Basis | null,
): RunEvent[] {
  const attempt = checking?.attempt ?? "";
  const seen = checking?.bound.seen ?? null;
  const rests = {
    ...(spec.checks.length > 0 && basis !== null ? { basis } : {}),
    ...(seen === null ? {} : { tree: seen.digest }),
  };
  const isProved = spec.checks.length > 0 || artifacts.length > 0 || seen !== null;
  return [
    ...(artifacts.length === 0
      ? []
      : [
          {
            type: "ArtifactsRegistered",
            // A plan is recorded with the steps that it adds.
            data: { step: spec.name, attempt, artifacts: artifacts.map((one) => planless(spec, one)) },
          } as const,
        ]),
    ...(isProved
      ? [{ type: "StepChecked", data: { step: spec.name, attempt, verdict: "pass", ...rests } } as const]
      : []),
    { type: "StepSucceeded", data: { step: spec.name, attempt, result } },
  ];
}

const planless = ({ plans }: StepState["spec"], artifact: Artifact): Artifact => {
  if (plans === undefined || artifact.path !== PLAN_FILE) return artifact;
  const { path, digest, bytes } = artifact;
  return { path, digest, bytes };
};

interface Found {
  readonly text: string;
  readonly verdict: "fail" | "unknown";
  readonly now: number;
}

function sentBack(state: RunState, step: StepState, { text, verdict, now }: Found): RunEvent[] {
  const name = step.spec.name;
  const attempt = step.checking?.attempt ?? "";
  const checked: RunEvent = { type: "StepChecked", data: { step: name, attempt, verdict, feedback: text } };
  if (verdict === "fail" && step.checkFails + 1 < state.settings.checks.tries)
    return [checked, { type: "StepRetryScheduled", data: { step: name, notBefore: now } }];
  return [
    checked,
    { type: "StepFailed", data: { step: name, failure: failureOf("artifact_invalid", text) } },
  ];
}

const planFeedback = (problems: readonly string[]): string =>
  ["the plan cannot be run:", ...problems.slice(0, 20).map((problem) => `- ${problem}`)].join("\n");

const feedbackOf = ({ problems }: OutputsReport): string =>
  ["what was to be delivered is not there as declared:", ...problems.map(problemLine)].join("\n");

const problemLine = ({ path, problem }: OutputsReport["problems"][number]): string => `- ${path}: ${problem}`;

/** What other runs have handed to all steps, then what those before it have delivered. */
export const handedTo = (state: RunState, step: StepState): Handed[] => [
  ...(state.flow.handed ?? []),
  ...deliveredTo(state, step),
];

/** What it asks for of what others have delivered; otherwise all of the steps that it builds on, the nearest last. */
function deliveredTo(state: RunState, step: StepState): Handed[] {
  const { inputs } = step.spec;
  if (inputs !== undefined)
    return inputs.flatMap(({ step: from, output }) => {
      const artifact = state.artifacts[from]?.find(({ path }) => path === output);
      return artifact === undefined ? [] : [handed(artifact, from)];
    });
  if (isEmpty(state.artifacts)) return [];
  const names = new Set<string>();
  // Without recursion: a flow may be one chain of thousands of steps.
  const seen = new Set<string>();
  const open = [...step.spec.needs].reverse();
  while (open.length > 0) {
    const name = open.at(-1) ?? "";
    if (seen.has(name)) {
      names.add(name);
      open.pop();
      continue;
    }
    seen.add(name);
    for (const need of [...(state.steps[name]?.spec.needs ?? [])].reverse())
      if (!seen.has(need)) open.push(need);
  }
  return [...names].flatMap((name) =>
    (state.artifacts[name] ?? []).map((artifact) => handed(artifact, name)),
  );
}

/** Most flows hand nothing on: then nobody looks at all that a step builds on. */
const isEmpty = (artifacts: RunState["artifacts"]): boolean => {
  for (const _ in artifacts) return false;
  return true;
};

const handed = ({ path, digest, bytes }: Artifact, step: string): Handed => ({ path, digest, bytes, step });

/** An input that must be there and is not; null where nothing is missing. */
export function missingInput(state: RunState, { spec }: StepState): string | null {
  const missing = spec.inputs?.find(
    ({ step, output, optional }) =>
      optional !== true && !(state.artifacts[step] ?? []).some(({ path }) => path === output),
  );
  return missing === undefined
    ? null
    : `its input "${missing.output}" of step "${missing.step}" was not delivered`;
}

/** What an agent is given about the files that it must deliver. */
export function outputWords({ spec }: StepState): string[] {
  if (spec.outputs === undefined || spec.outputs.length === 0) return [];
  const files = spec.outputs.map(({ path, schema, sha256 }) =>
    [
      `- ${path}`,
      ...(schema === undefined ? [] : [`  JSON that fits this schema: ${JSON.stringify(schema)}`]),
      ...(sha256 === undefined ? [] : [`  with the SHA-256 ${sha256}`]),
    ].join("\n"),
  );
  return [`Your work counts as done only if it delivers these files:\n${files.join("\n")}`];
}
