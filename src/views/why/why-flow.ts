import { effectKey } from "../../model/effects/effects.ts";
import type { Recorded } from "../../model/events/events.ts";
import { REALITY } from "../../model/requests/reality.ts";
import { newestOf as newest, type Causes, type RecordedOf, type WhyJournal } from "./why-journal.ts";

type Found = Recorded | undefined;
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
  const named = newest(
    journal.last("GateRejected", event, ({ data }) => data.rework.includes(step)),
    journal.last("GateChecked", event, ({ data }) => data.rework.includes(step)),
    journal.last("RealityChecked", event, ({ data }) => data.reopened.includes(step)),
    journal.last("StepsReissued", event, ({ data }) => data.steps.includes(step)),
    journal.last("ProposalRejected", event, ({ data }) => data.step === step),
    journal.last("HandedOver", event, ({ data }) => data.step === step),
    journal.last("RunRestored", event),
  );
  // With a step those are worked again that build on it: the one that sent it back has sent them back too.
  return (
    named ??
    newest(
      journal.last("GateRejected", event),
      journal.last("GateChecked", event),
      journal.last("RealityChecked", event),
    )
  );
};

/** Where gates, hooks, policies, conditions and plans lead to what follows from them. */
export const flowCauses: Causes = {
  StepDoneByHand: (event, journal) => [journal.askedBy(event)],
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
  GateChecked: (event, journal) => [
    runsFor(`gate/${event.data.gate}`, event, journal)[0] ?? doneBefore(event.data.gate, event, journal),
  ],
  GateAsked: (event, journal) => [doneBefore(event.data.gate, event, journal)],
  GateApproved: (event, journal) => {
    const asked = journal.last("GateAsked", event, ofGate(event.data.gate));
    // By the run's own settings: nobody has to be asked.
    if (event.data.by === "policy")
      return [journal.last("RunCreated", event), asked ?? doneBefore(event.data.gate, event, journal)];
    return [journal.askedBy(event), asked];
  },
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
    journal.outcomeOf(
      "RunHook",
      event,
      ({ point, subject }) => point === event.data.point && subject === event.data.subject,
    ) ??
      newest(
        journal.last("StepSucceeded", event),
        journal.last("AttemptEnded", event),
        journal.last("GatePassed", event),
        journal.last("RunUnblocked", event),
        journal.last("RunStarted", event),
      ),
  ],
};
