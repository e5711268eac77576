import { z } from "zod";
import { idSchema } from "../ids.ts";
import { CONTINUOUS_EVENTS } from "../continuous/continuous-events.ts";
import { CLOCK_EVENTS, clockReadingSchema } from "../host/clock.ts";
import { DIED_WITH } from "./died-with.ts";
import { END_WORDS, restsShape } from "../state/baseline.ts";
import { alarmSchema } from "../requests/alarm.ts";
import type { ApartPlace } from "../state/bound-tree.ts";
import { blockedSchema, ESCALATION_ENDS, escalationSchema } from "../requests/blocked.ts";
import { PROGRAM_EVENTS, programFailureSchema } from "./program-events.ts";
import { checkpointNoteSchema } from "../effects/checkpoint.ts";
import { event } from "./define-event.ts";
import { MISSION_EVENTS } from "../mission/mission-events.ts";
import { NOTICE_EVENTS } from "./notice-events.ts";
import { effectSchema } from "../effects/effects.ts";
import { effectOutcomeSchema } from "../effects/effect-outcome.ts";
import { FLOW_EVENTS } from "./flow-events.ts";
import { agentBudgetSchema, SPENT_KINDS } from "../requests/budget.ts";
import { homeHostSchema } from "../host/supervision.ts";
import { HOST_FAULTS } from "../host/host-fault.ts";
import { failureSchema } from "../agent/failure.ts";
import { GATE_EVENTS } from "./gate-events.ts";
import { AFFECTED_RUN_EVENTS, SHARED_RESOURCE_EVENTS } from "./shared-resource-events.ts";
import { RULE_EVENTS } from "./rule-events.ts";
import { SCRUB_EVENTS } from "./scrub-events.ts";
import { LIMIT_EVENTS } from "./limit-events.ts";
import { HEALTH_EVENTS } from "./health-events.ts";
import { principalSchema } from "../requests/principal.ts";
import { answerSchema, requestSchema } from "../requests/requests.ts";
import { runCreatedSchema } from "./run-created.ts";
import { stopKindSchema } from "../state/run-status.ts";
import { signalSchema } from "../agent/signals.ts";
import { PROPOSAL_EVENTS } from "./proposal-events.ts";
import { WORKSPACE_EVENTS } from "./workspace-events.ts";

/** Who a request or decision came from. */
const actor = z.string();

export const ATTEMPT_OUTCOMES = [
  "succeeded",
  "failed",
  "crashed",
  "timed_out",
  "stalled",
  "zombie",
  "interrupted",
  "cancelled",
] as const;

/** Why Holdfast ends a session. */
export const ENDINGS = [
  "paused",
  "cancelled",
  "timed_out",
  "stalled",
  "start_failed",
  "sent_back",
  "stuck",
  "limited",
  "run_limit",
  "policy",
  "suspended",
  "message",
] as const;
export type Ending = (typeof ENDINGS)[number];

/**
 * The one registry of event types. Codecs, `docs/events.md` and the exhaustiveness test derive from it.
 * Rule of change: a type once released is never edited. What must change gets a new name here, and the
 * old name an upcaster in `upcasters.ts`.
 */
export const EVENTS = {
  RunCreated: event(
    "A run was asked for; everything needed to work it is recorded here.",
    () => runCreatedSchema,
  ),
  RunClaimed: event("A supervisor took the run, for the first time or from one that was gone.", () =>
    z.object({
      owner: z.string(),
      epoch: z.number().int(),
      from: z.enum(["nobody", "released", "gone", "silent"]),
      /** Where it works from now on. */
      host: z.string().optional(),
      /** What it needs there and was not found, by name: its folder, the programs of its agents. */
      missing: z.array(z.string()).optional(),
      /** The host of the owner, where hosts share the store. */
      home: homeHostSchema.optional(),
      /** The run's files are on another host, which is gone: nothing of the run is touched here. */
      away: z.literal(true).optional(),
      clock: clockReadingSchema.optional(),
    }),
  ),
  RunStarted: event("The run began to work.", () => z.object({})),
  RequestHeard: event("A request was taken from the inbox.", () =>
    z.object({
      requestId: idSchema,
      request: requestSchema,
      by: actor,
      /** Who that is, and how it was proved; absent in events of versions that did not look. */
      principal: principalSchema.optional(),
    }),
  ),
  RequestAnswered: event("A request was done or refused; the asker waits for this.", () =>
    z.object({ requestId: idSchema, answer: answerSchema }),
  ),
  RunStopping: event("The run starts nothing more and ends its live sessions on the way to a stop.", () =>
    z.object({ to: z.enum(["paused", "cancelled"]), stop: stopKindSchema }),
  ),
  RunPaused: event("The run is paused until somebody resumes it.", () => z.object({ stop: stopKindSchema })),
  RunResumed: event("The run goes on where it was.", () =>
    z.object({
      /** Set where it goes on by itself. */
      after: z.literal("stale").optional(),
    }),
  ),
  RunBlocked: event("The run cannot go on by itself.", () => z.object({ blocked: blockedSchema })),
  EscalationRaised: event("A person is asked; the record stays open until it is resolved.", () =>
    z.object({ escalation: escalationSchema }),
  ),
  EscalationResolved: event("What a person was asked for is settled.", () =>
    z.object({ id: idSchema, how: z.enum(ESCALATION_ENDS), by: actor, note: z.string().optional() }),
  ),
  ...NOTICE_EVENTS,
  RunUnblocked: event("What blocked the run was cleared.", () => z.object({})),
  RunCompleted: event("Every step succeeded.", () => z.object({ result: z.unknown().optional() })),
  RunFailed: event("The run ended without success.", () =>
    z.object({
      step: idSchema.optional(),
      failure: failureSchema,
      body: programFailureSchema.optional(),
    }),
  ),
  RunCancelled: event("The run ended because somebody asked for it.", () =>
    z.object({ stop: stopKindSchema }),
  ),
  RunSalvaged: event("The run goes on from the part of another run's journal that was not damaged.", () =>
    z.object({ from: z.string(), seq: z.number().int(), what: z.string() }),
  ),
  RunReopened: event("An ended run may work again.", () => z.object({})),
  AttemptStarted: event("A step was given to an agent.", () =>
    z.object({
      attempt: idSchema,
      step: idSchema,
      number: z.number().int(),
      agent: idSchema,
      session: idSchema,
      /** What it sets aside of the run's budget, so that nothing else counts on it. */
      reserved: z.partialRecord(z.enum(SPENT_KINDS), z.number()).optional(),
      /** It helps with a part; the step goes on when it has ended, however that was. */
      helps: z.boolean().optional(),
    }),
  ),
  SignalsHeard: event(
    "Output of an agent was received; `cursor` is where reading its spool continues (I1).",
    () => z.object({ attempt: idSchema, cursor: z.string(), signals: z.array(signalSchema) }),
  ),
  SessionObserved: event(
    "A session was looked for after its supervisor was gone; `gone` means that no more output will come from it, `ended` that it had ended by then and its last output is still to be read.",
    () =>
      z.object({
        attempt: idSchema,
        finding: z.enum(["alive", "gone", "ended", "unknown"]),
        detail: z.string(),
      }),
  ),
  ...HEALTH_EVENTS,
  AttemptEnding: event("Holdfast is ending an attempt's session.", () =>
    z.object({
      attempt: idSchema,
      to: z.enum(ENDINGS),
      why: z.string(),
      /** What its conversation continues with. */
      message: z.string().optional(),
    }),
  ),
  AttemptEnded: event(
    "An attempt is over; `charged` says whether it counts against the step's attempts.",
    () =>
      z.object({
        attempt: idSchema,
        outcome: z.enum(ATTEMPT_OUTCOMES),
        charged: z.boolean(),
        why: z.string(),
        failure: failureSchema.optional(),
        result: z.unknown().optional(),
        /** What it died with: its machine, its container, or its supervisor. */
        diedWith: z.enum(DIED_WITH).optional(),
        word: z.enum(END_WORDS).optional(),
      }),
  ),
  StepSucceeded: event("A step is done; steps that need it may start.", () =>
    z.object({ step: idSchema, attempt: idSchema, result: z.unknown().optional() }),
  ),
  StepRetryScheduled: event("A step will be tried again, not before the time named.", () =>
    z.object({
      step: idSchema,
      notBefore: z.number(),
      /** What the provider said, where the wait is for a limit of its. */
      limit: z.string().optional(),
      /** The provider named the end of that limit by the clock. */
      named: z.boolean().optional(),
    }),
  ),
  StepFailed: event("A step will not be tried again unless somebody asks.", () =>
    z.object({ step: idSchema, failure: failureSchema }),
  ),
  StepReset: event("A step may be tried again with all its attempts.", () => z.object({ step: idSchema })),
  StepChecked: event(
    "Holdfast has run a step's checks itself; `feedback` is given to the next attempt.",
    () =>
      z.object({
        step: idSchema,
        attempt: idSchema,
        verdict: z.enum(["pass", "fail", "unknown"]),
        feedback: z.string().optional(),
        ...restsShape,
      }),
  ),
  ...FLOW_EVENTS,
  StepAdvised: event("A person's words for the step's next attempt.", () =>
    z.object({ step: idSchema, note: z.string(), by: actor }),
  ),
  AlarmSet: event("Somebody is to be reminded at a time named; pending until it rings or is dropped.", () =>
    z.object({ alarm: alarmSchema }),
  ),
  AlarmRang: event(
    "An alarm was due: the note is sent to the working agent in the same append, or given to the step's next attempt.",
    () =>
      z.object({
        id: idSchema,
        how: z.enum(["told", "kept", "unheard"]),
        step: idSchema.optional(),
        text: z.string(),
      }),
  ),
  AlarmDropped: event("An alarm will not ring: somebody took it back, or the run has ended.", () =>
    z.object({ id: idSchema, by: actor, why: z.string() }),
  ),
  CheckpointNoted: event(
    "An agent's own note of what is done and what is next; the step's next attempt is given it.",
    () => z.object({ attempt: idSchema, step: idSchema, note: checkpointNoteSchema }),
  ),
  RunBudgetSet: event("The budget of a run of agents was changed.", () =>
    z.object({ budget: agentBudgetSchema, by: actor, note: z.string().optional() }),
  ),
  ...GATE_EVENTS,
  ...LIMIT_EVENTS,
  ...RULE_EVENTS,
  ...SCRUB_EVENTS,
  ...AFFECTED_RUN_EVENTS,
  ...CLOCK_EVENTS,
  ...SHARED_RESOURCE_EVENTS,
  ...CONTINUOUS_EVENTS,
  ...MISSION_EVENTS,
  ...WORKSPACE_EVENTS,
  ...PROPOSAL_EVENTS,
  EffectIntended: event("Something is about to be done outside the journal.", () =>
    z.object({ key: idSchema, effect: effectSchema }),
  ),
  EffectDelayed: event(
    "The host keeps an effect from being done (a full disk, no descriptors): it is tried again, and nothing is charged.",
    () => z.object({ key: idSchema, fault: z.enum(HOST_FAULTS), text: z.string() }),
  ),
  EffectSettled: event("What was to be done outside the journal has an outcome.", () =>
    z.object({ key: idSchema, outcome: effectOutcomeSchema }),
  ),
  ...PROGRAM_EVENTS,
  LimitReached: event(
    "A bound of Holdfast itself was reached and something was left out because of it.",
    () => z.object({ what: z.string(), bound: z.number(), detail: z.string() }),
  ),
} as const;

export type EventType = keyof typeof EVENTS;
export type EventData<Type extends EventType> = z.infer<(typeof EVENTS)[Type]["data"]>;

/** An event of one type, or of any: `RunEvent` is the union over the registry. */
export type RunEventOf<Type extends EventType> = {
  readonly [T in Type]: { readonly type: T; readonly data: EventData<T> };
}[Type];
export type RunEvent = RunEventOf<EventType>;

/** An event with its place: what the journal gives back. */
export type Recorded<E extends RunEvent = RunEvent> = E & {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  readonly hash: string;
  /** Large values that were not read; in their places stands null. */
  readonly apart?: readonly ApartPlace[];
};

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];
