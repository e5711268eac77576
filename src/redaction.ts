import type { AgentDriver, SignalBatch } from "./agents/agent-driver.ts";
import type { OutputTail } from "./agents/keeper/spool/tail-output.ts";
import type { AgentSpec } from "./model/flow/flow.ts";
import type { InboxRow, Journal } from "./journal/journal.ts";
import { errorText } from "./model/fault.ts";
import { redactAll, type Redactor } from "./model/text/redact.ts";
import type { RunOrder } from "./runtime/create-run.ts";
import type { Goals, MissionOrders, Ports } from "./runtime/ports.ts";
import type { Notifier } from "./notify/notifier.ts";
import type { Quality } from "./quality/quality.ts";

/**
 * Secrets are removed where words of programs come in, before anything is decided from them, journaled or shown: what
 * an agent says, what a check, a hook or a gate's action prints, and what people and tools of agents ask. A notice is
 * looked at once more where it goes out. What agents print is cleaned before it is in a spool, by its copier.
 */
type Drivers = ReadonlyMap<AgentSpec["use"], AgentDriver>;

export const redactingDrivers = (drivers: Drivers, redact: Redactor): Drivers =>
  new Map([...drivers].map(([use, driver]) => [use, redactingDriver(driver, redact)]));

function redactingDriver(driver: AgentDriver, redact: Redactor): AgentDriver {
  const clean = (batch: SignalBatch): SignalBatch => ({
    ...batch,
    signals: batch.signals.map((signal) => redactAll(signal, redact)),
  });
  return {
    ...driver,
    start: async (order) => redactAll(await driver.start(order), redact),
    listen: (session, cursor, receive) => driver.listen(session, cursor, (batch) => receive(clean(batch))),
  };
}

export const redactingQuality = (quality: Quality, redact: Redactor): Quality => ({
  check: async (order, signal) => redactAll(await quality.check(order, signal), redact),
});

export const redactingNotifier = (notifier: Notifier, redact: Redactor): Notifier => ({
  deliver: (notice, channel, cwd) => notifier.deliver(redactAll(notice, redact), channel, cwd),
});

export const redactingTail = (tail: OutputTail, redact: Redactor): OutputTail => ({
  isHere: () => tail.isHere(),
  next: () => redactAll(tail.next(), redact),
  rest: () => redactAll(tail.rest(), redact),
});

/**
 * What a tool of an agent asks was written by a process that does not know all secrets of its supervisor, so it is looked
 * at again where it is taken. What somebody has signed stays as it is; it was refused if there was a secret in it.
 *
 * Stores keep no words of requests that were consumed. Of one that held a secret nothing is left in their files either.
 */
export function redactingInbox(journal: Journal, redact: Redactor): Journal {
  const warned = new Set<string>();
  /** Something is left in the store's files; it is tried again with the next request. */
  let isOwed = false;
  const cleaned = (row: InboxRow): InboxRow => {
    if (row.proof !== undefined) return row;
    const request = redactAll(row.request, redact);
    if (JSON.stringify(request) !== JSON.stringify(row.request)) warned.add(row.id);
    return { ...row, request };
  };
  return {
    ...journal,
    inbox: async (address) => (await journal.inbox(address)).map(cleaned),
    async append(order) {
      const outcome = await journal.append(order);
      if (outcome.kind !== "appended" || order.consumed === undefined) return outcome;
      isOwed ||= order.consumed.filter((id) => warned.delete(id)).length > 0;
      if (isOwed && order.consumed.length > 0) isOwed = !(await purgedRequests(journal));
      return outcome;
    },
  };
}

/** What was recorded stays so, whether or not its old bytes are gone already. */
async function purgedRequests(journal: Journal): Promise<boolean> {
  try {
    await journal.purge("requests");
    return true;
  } catch (error) {
    process.emitWarning(`a secret may be left in unused parts of the store: ${errorText(error)}`);
    return false;
  }
}

/** The goal and the tasks of a new run; commands stay as they are, or they would do something else. */
export const withoutSecrets = (order: RunOrder, redact: Redactor): RunOrder => ({
  ...order,
  goal: redact(order.goal),
  flow: {
    ...order.flow,
    steps: order.flow.steps.map((step) => ({ ...step, task: redact(step.task) })),
  },
});

const redactingGoals = (goals: Goals, redact: Redactor): Goals => ({
  read: async (spec) => redactAll(await goals.read(spec), redact),
  order: async (spec, goal) => withoutSecrets(await goals.order(spec, goal), redact),
  planOrder: async (spec, goal, ended) => withoutSecrets(await goals.planOrder(spec, goal, ended), redact),
});

interface Orders {
  readonly goals?: Goals | undefined;
  readonly missions?: MissionOrders | undefined;
}

/** Goals that an intake names, and orders for missions; the runs that are made of them are cleaned as those that people start. */
export const redactingOrders = (
  { goals, missions }: Orders,
  redact: Redactor,
): Pick<Ports, "goals" | "missions"> => ({
  ...(goals === undefined ? {} : { goals: redactingGoals(goals, redact) }),
  ...(missions === undefined
    ? {}
    : {
        missions: { order: async (...asked) => withoutSecrets(await missions.order(...asked), redact) },
      }),
});
