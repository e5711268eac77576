import type { AgentDriver, SignalBatch } from "./agents/agent-driver.ts";
import type { OutputTail } from "./agents/keeper/tail-output.ts";
import type { AgentSpec } from "./model/flow.ts";
import { redactAll, type Redactor } from "./model/redact.ts";
import type { Notifier } from "./notify/notifier.ts";
import type { Quality } from "./quality/quality.ts";

/**
 * Secrets are removed where words of programs come in, before anything is decided from them, journaled or shown: what
 * an agent says, what a check, a hook or a gate's action prints. A notice is looked at once more where it goes out, since
 * people's words are in it too.
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
