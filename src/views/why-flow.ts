import { isApproval } from "../model/blocked.ts";
import { effectKey } from "../model/effects.ts";
import type { EventType, Recorded } from "../model/events.ts";
import { REALITY } from "../model/reality.ts";
import type { RecordedOf, WhyJournal } from "./why-journal.ts";

type Found = Recorded | undefined;
type FlowCauses = {
  readonly [Type in EventType]?: (event: RecordedOf<Type>, journal: WhyJournal) => readonly Found[];
};

const newest = (...found: readonly Found[]): Found =>
  found.filter((one) => one !== undefined).sort((a, b) => b.seq - a.seq)[0];

/** How a step ended last: done, skipped or given up. */
export const endOf = (step: string, event: Recorded, journal: WhyJournal): Found => {
  const isIt = ({ data }: { data: { step: string } }): boolean => data.step === step;
  return newest(
    journal.last("StepSucceeded", event, isIt),
    journal.last("StepSkipped", event, isIt),
    journal.last("StepFailed", event, isIt),
  );
};

/** The plan that a step is of; none where the flow has it. */
export const plannedBy = (step: string, event: Recorded, journal: WhyJournal): Found =>
  journal.last("StepsPlanned", event, ({ data }) => data.steps.some(({ name }) => name === step));

export const endOfAttempt = (attempt: string, event: Recorded, journal: WhyJournal): Found =>
  journal.last("AttemptEnded", event, ({ data }) => data.attempt === attempt);

/** What was run for a gate, or for the whole at its end, newest first. */
const runsFor = (prefix: string, event: Recorded, journal: WhyJournal): Recorded[] => {
  const since = journal.last(event.type, event)?.seq ?? 0;
  return [
    ...journal.before(
      "EffectSettled",
      event,
      ({ seq, data }) => seq > since && data.key.startsWith(effectKey(prefix, "RunAtGate")),
    ),
  ];
};

/** What led to something being run for a gate. */
export const gateRunBy = (gate: string, event: Recorded, journal: WhyJournal): readonly Found[] => [
  journal.last("GateApproved", event, ofGate(gate)) ??
    doneBefore(gate === REALITY ? "completion" : gate, event, journal),
];

const stepsOfPhase = (gate: string, { state }: WhyJournal): string[] =>
  Object.values(state.steps)
    .filter(({ spec }) => gate === "completion" || gate === spec.name || gate === `phase:${spec.phase ?? ""}`)
    .map(({ spec }) => spec.name);

/** What a phase has done when its gate looks at it. */
const doneBefore = (gate: string, event: Recorded, journal: WhyJournal): Found =>
  newest(
    ...stepsOfPhase(gate, journal).map((step) => endOf(step, event, journal)),
    journal.last("RunStarted", event),
  );

const ofGate =
  (gate: string) =>
  ({ data }: { data: { gate: string } }): boolean =>
    data.gate === gate;

/** What sends a step back stands before it in the same decision. */
const sentBackBy = (event: RecordedOf<"StepReset">, journal: WhyJournal): Found => {
  const { step } = event.data;
  return newest(
    journal.last("GateRejected", event, ({ data }) => data.rework.includes(step)),
    journal.last("GateChecked", event, ({ data }) => data.rework.includes(step)),
    journal.last("RealityChecked", event, ({ data }) => data.reopened.includes(step)),
    journal.last("StepsReissued", event, ({ data }) => data.steps.includes(step)),
    journal.last("ProposalRejected", event, ({ data }) => data.step === step),
  );
};

/** Where gates, hooks, policies, conditions and plans lead to what follows from them. */
export const flowCauses: FlowCauses = {
  StepReset: (event, journal) => [journal.askedBy(event) ?? sentBackBy(event, journal)],
  StepSkipped: (event, journal) => {
    const spec = journal.state.steps[event.data.step]?.spec;
    const when = spec?.when ?? [];
    const named = [...when.map(({ step }) => step), ...(spec?.needs ?? [])].map((step) =>
      endOf(step, event, journal),
    );
    return [newest(...named) ?? journal.last("RunStarted", event)];
  },
  StepsPlanned: (event, journal) => [
    journal.last("StepChecked", event, ({ data }) => data.step === event.data.step) ??
      journal.last("AttemptEnded", event, ({ data }) => journal.stepOf(data.attempt) === event.data.step),
  ],
  StepsReplanned: (event, journal) => [
    journal.askedBy(event) ??
      journal.last("StepFailed", event, ({ data }) => event.data.dropped.includes(data.step)),
    journal.last("StepsPlanned", event, ({ data }) => data.step === event.data.step),
  ],
  GateChecked: (event, journal) => runsFor(`gate/${event.data.gate}`, event, journal).slice(0, 1),
  GateAsked: (event, journal) => [doneBefore(event.data.gate, event, journal)],
  GateApproved: (event, journal) => [
    journal.askedBy(event),
    journal.last("GateAsked", event, ofGate(event.data.gate)),
  ],
  GateRejected: (event, journal) => [
    journal.askedBy(event),
    journal.last("GateAsked", event, ofGate(event.data.gate)),
  ],
  GateExpired: (event, journal) => [journal.last("GateAsked", event, ofGate(event.data.gate))],
  GatePassed: (event, journal) => [
    event.data.by === "holdfast" ? undefined : journal.last("GateApproved", event, ofGate(event.data.gate)),
    doneBefore(event.data.gate, event, journal),
  ],
  RealityChecked: (event, journal) => {
    const runs = runsFor(REALITY, event, journal);
    return runs.length > 0 ? runs : [doneBefore("completion", event, journal)];
  },
  PolicyApplied: (event, journal) => [
    event.data.attempt === undefined
      ? journal.last("RunCreated", event)
      : journal.last("AttemptStarted", event, ({ data }) => data.attempt === event.data.attempt),
  ],
  HookJudged: (event, journal) => [
    newest(
      journal.last("StepSucceeded", event),
      journal.last("AttemptEnded", event),
      journal.last("GatePassed", event),
      journal.last("RunUnblocked", event),
      journal.last("RunStarted", event),
    ),
  ],
};

/** What a run was stopped by that no step has failed at. */
export function stoppedBy(event: RecordedOf<"RunBlocked">, journal: WhyJournal): Found {
  const { reason, gate } = event.data.blocked;
  if (gate !== undefined && (isApproval(reason) || reason === "gate_action_failed"))
    return journal.last("GateAsked", event);
  if (reason === "hook_block" || reason === "hook_tamper") return journal.last("HookJudged", event);
  if (reason === "policy_escalation") return journal.last("PolicyApplied", event);
  if (reason === "timeout") return journal.last("AttemptStarted", event);
  return undefined;
}
