import { FOLD_VERSION } from "../../src/fold/fold-version.ts";
import { newRunState } from "../../src/fold/new-run-state.ts";
import type { AppendOrder } from "../../src/journal/journal.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import { isFault } from "../../src/model/fault.ts";
import { ALARM_BUGS } from "./alarm-bugs.ts";
import { FLOW_BUGS } from "./flow-bugs.ts";
import { SHARED_RESOURCE_BUGS } from "./shared-resource-bugs.ts";
import { GUARD_BUGS } from "./guard-bugs.ts";
import { LADDER_BUGS } from "./ladder-bugs.ts";
import { PEOPLE_BUGS } from "./people-bugs.ts";
import { withJournal, withJudge } from "./bug-tools.ts";
import type { InjectedBug } from "../world/sim-options.ts";

const rewritten = (order: AppendOrder, change: (event: RunEvent) => RunEvent): AppendOrder => ({
  ...order,
  events: order.events.map(change),
});

/** Bugs that the checkers must find. Each is a mistake somebody could make in earnest. */
export const INJECTED_BUGS = {
  /** An append is answered before it is on the disk, so effects begin before their intent is. */
  effectBeforeIntent: (ports) =>
    withJournal(ports, (journal) => ({
      append: async (order) => {
        const head = await journal.head(order.run);
        ports.world.timer(5_000, () => void journal.append(order).catch(() => undefined));
        return {
          kind: "appended",
          head: { seq: order.expected + order.events.length, hash: head?.hash ?? "" },
        };
      },
    })),
  /** An append whose answer was lost is simply made again behind whatever is there now. */
  lostAnswerIsFailure: (ports) =>
    withJournal(ports, (journal) => ({
      append: async (order) => {
        try {
          return await journal.append(order);
        } catch (error) {
          if (!isFault(error, "store_failed")) throw error;
          const head = await journal.head(order.run);
          return journal.append({ ...order, expected: head?.seq ?? 0 });
        }
      },
    })),
  /** An owner that was taken over writes under its successor's epoch. */
  staleOwnerWrites: (ports) =>
    withJournal(ports, (journal) => ({
      append: async (order) => {
        const outcome = await journal.append(order);
        if (outcome.kind !== "fenced") return outcome;
        const head = await journal.head(order.run);
        return journal.append({ ...order, epoch: outcome.currentEpoch, expected: head?.seq ?? 0 });
      },
    })),
  ownDeathCharged: (ports) =>
    withJudge(ports, (events) =>
      events.map((event) =>
        event.type === "AttemptEnded" && event.data.outcome === "interrupted"
          ? { ...event, data: { ...event.data, charged: true } }
          : event,
      ),
    ),
  /** Limits are enforced only for attempts that this very process has started. */
  timerOnlyInMemory: (ports) => {
    const mine = new Set<string>();
    return withJudge(ports, (events, state) => {
      for (const event of events)
        if (event.type === "AttemptStarted") mine.add(`${state.run}/${event.data.attempt}`);
      return events.filter(
        (event) =>
          event.type !== "AttemptEnding" ||
          state.stoppingTo !== null ||
          mine.has(`${state.run}/${event.data.attempt}`),
      );
    });
  },
  unknownIsSuccess: (ports) =>
    withJudge(ports, (events, state) =>
      events
        .flatMap((event): RunEvent[] => {
          if (event.type !== "AttemptEnded" || event.data.outcome !== "zombie") return [event];
          const { attempt } = event.data;
          const step = state.attempts[attempt]?.step ?? "";
          return [
            {
              type: "AttemptEnded",
              data: { attempt, outcome: "succeeded", charged: false, why: "it seems done" },
            },
            { type: "StepSucceeded", data: { step, attempt } },
          ];
        })
        .filter(
          (event, _, all) =>
            !(
              all.some(({ type }) => type === "StepSucceeded") &&
              (event.type === "StepRetryScheduled" || event.type === "StepFailed")
            ),
        ),
    ),
  /** The place reached in the spool is written one append too late. */
  offsetOutsideAppend: (ports) => {
    const last = new Map<string, string>();
    return withJournal(ports, (journal) => ({
      append: (order) =>
        journal.append(
          rewritten(order, (event) => {
            if (event.type !== "SignalsHeard") return event;
            const key = `${order.run}/${event.data.attempt}`;
            const cursor = last.get(key) ?? "";
            last.set(key, event.data.cursor);
            return { ...event, data: { ...event.data, cursor } };
          }),
        ),
    }));
  },
  /** A lease that somebody holds is handed out again, under the same epoch. */
  twoOwners: (ports) =>
    withJournal(ports, (journal) => ({
      claim: async (address, owner) => {
        const outcome = await journal.claim(address, owner);
        return outcome.kind === "held" && outcome.lease.owner?.id !== owner.id
          ? { kind: "claimed", epoch: outcome.lease.epoch, from: outcome.lease }
          : outcome;
      },
    })),
  /** The inbox row stays although its request was taken. */
  rowConsumedTwice: (ports) =>
    withJournal(ports, (journal) => ({
      append: (order) => journal.append({ ...order, consumed: [] }),
    })),
  /** Attempts are counted in memory: after a restart the count begins anew. */
  capForgotten: (ports) => {
    const charged = new Map<string, number>();
    return withJudge(ports, (events, state) =>
      events.map((event): RunEvent => {
        if (event.type !== "StepFailed" || event.data.failure.class === "terminal") return event;
        const key = `${state.run}/${event.data.step}`;
        charged.set(key, (charged.get(key) ?? 0) + 1);
        return (charged.get(key) ?? 0) >= 2
          ? event
          : { type: "StepRetryScheduled", data: { step: event.data.step, notBefore: 0 } };
      }),
    );
  },
  /** An attempt starts again before its backoff is over. */
  backoffSkipped: (ports) =>
    withJudge(ports, (events, state, now) => {
      const waiting = Object.values(state.steps).find(
        (step) => step.notBefore !== null && step.notBefore > now,
      );
      if (waiting !== undefined) waiting.notBefore = null;
      return events;
    }),
  /** A snapshot is taken of a state that is ahead of the journal. */
  snapshotAhead: (ports) =>
    withJournal(ports, (journal) => ({
      append: async (order) => {
        const outcome = await journal.append(order);
        const [first] = await journal.read(order.run, { after: 0, limit: 1 });
        if (outcome.kind === "appended" && first?.type === "RunCreated") {
          const { seq, hash } = outcome.head;
          const state = { ...newRunState(order.run, first.at, first.data), seq };
          const snapshot = { seq, hash, fold: FOLD_VERSION, state: JSON.stringify(state) };
          await journal.saveSnapshot(order.run, snapshot);
        }
        return outcome;
      },
    })),
  ...PEOPLE_BUGS,
  ...ALARM_BUGS,
  ...LADDER_BUGS,
  ...SHARED_RESOURCE_BUGS,
  ...GUARD_BUGS,
  ...FLOW_BUGS,
} satisfies Record<string, InjectedBug>;

export type InjectedBugName = keyof typeof INJECTED_BUGS;
export const isInjectedBugName = (name: string): name is InjectedBugName =>
  Object.hasOwn(INJECTED_BUGS, name);
