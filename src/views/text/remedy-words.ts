import type { Remedy, RemedyOutcome } from "../../model/agent/ladder.ts";

export const REMEDY_WORDS: Readonly<Record<Remedy, string>> = {
  warn: "a warning",
  nudge: "a nudge",
  strategy: "another way",
  restart: "a restart",
  restore: "going back to a checkpoint",
  helper: "a helper with a narrower task",
  other_agent: "another agent",
  operator: "asking an operator",
  external: "notifying people through other channels",
};

export const REMEDY_ENDS: Readonly<Record<RemedyOutcome, string>> = {
  helped: "it helped",
  unclear: "not known to have helped",
  no_help: "it did not help",
  not_applicable: "cannot be done here",
};
