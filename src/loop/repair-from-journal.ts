import { recordName } from "../model/values/program-key.ts";
import type { ProgramScope } from "../model/state/program-state.ts";
import { misused, shown } from "./check-run-options.ts";
import { repairMessages, type RepairedMessages } from "./repair/repair-messages.ts";
import type { KnownResult, MessageShape } from "./repair/repair.ts";

interface FromJournal {
  readonly shape?: MessageShape;
  /** Given which records of the innermost scope gave an answer: the workflow function need not ask for them. */
  readonly used: (record: string) => void;
}

/** Answers calls without a result from the steps `tool/<call id>` recorded in these scopes, the innermost first. */
export function repairFrom<Message>(
  scopes: readonly (ProgramScope | undefined)[],
  messages: readonly Message[],
  { shape, used }: FromJournal,
): RepairedMessages<Message> {
  if (!isList(messages)) throw misused("run.repair", shown(messages), "a list of messages");
  const known = (callId: string): KnownResult | undefined => {
    const step = recordName("step", `tool/${callId}`);
    for (const [index, scope] of scopes.entries()) {
      const record = scope?.records[step];
      if (record?.kind !== "value" && record?.kind !== "error") continue;
      if (index === 0) used(step);
      return record.kind === "value"
        ? { result: record.value }
        : { result: record.error.message, failed: true };
    }
    return undefined;
  };
  return repairMessages(messages, { known, ...(shape === undefined ? {} : { shape }) });
}

/** Says nothing about its type: what is in the list is looked at later. */
const isList = (given: unknown): boolean => Array.isArray(given);
