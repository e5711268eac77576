import type { AgentDriver, SignalBatch } from "./agents/agent-driver.ts";
import type { OutputTail } from "./agents/keeper/tail-output.ts";
import type { AgentSpec } from "./model/flow.ts";
import type { Journal } from "./journal/journal.ts";
import { redactAll, type Redactor } from "./model/redact.ts";
import type { RunOrder } from "./runtime/create-run.ts";
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
    listen: (session, cursor, hear) => driver.listen(session, cursor, (batch) => hear(clean(batch))),
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
 */
export const redactingInbox = (journal: Journal, redact: Redactor): Journal => ({
  ...journal,
  inbox: async (address) =>
    (await journal.inbox(address)).map((row) =>
      row.proof === undefined ? { ...row, request: redactAll(row.request, redact) } : row,
    ),
});

/** The goal and the tasks of a new run; commands stay as they are, or they would do something else. */
export const withoutSecrets = (order: RunOrder, redact: Redactor): RunOrder => ({
  ...order,
  goal: redact(order.goal),
  flow: {
    ...order.flow,
    steps: order.flow.steps.map((step) => ({ ...step, task: redact(step.task) })),
  },
});
