import { effectsToPerform, quarantineRule } from "../attempt/quarantine.ts";
import { decideSharedResources } from "../resources/decide-shared-resources.ts";
import { storeRule as decideStore, storeDueAt } from "../resources/store-rule.ts";
import { due, type Rule } from "./rule.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";

export const deathsRule: Rule = { name: "quarantine", decide: quarantineRule };

export const storeRule: Rule = {
  name: "store",
  decide: decideStore,
  dueAt: (state, now) => due(storeDueAt(state, now)),
};

export const contextRule: Rule = { name: "context", decide: stopWithoutContext };

export const resourceRule: Rule = { name: "resource", decide: decideSharedResources };

export const trustRule: Rule = { name: "trust", decide: decideTrust };

/** What was intended is carried out, or found out about, before the run is left. */
export const effectRule: Rule = {
  name: "effect",
  holdsOpen: (state) => Object.keys(effectsToPerform(state)).length > 0,
  owes: ({ effects }) => Object.keys(effects).length > 0,
};

/**
 * A run whose folder or agent is not here stops at its claim, by name, before anything is started and at no charge.
 * Where a session lives already, it goes on: what is missing then is found when the next one is started.
 */
function stopWithoutContext(state: RunState): RunEvent[] {
  const { status, attempts } = state;
  const { missing } = state.claim;
  if (missing.length === 0 || (status !== "queued" && status !== "running")) return [];
  if (Object.keys(attempts).length > 0) return [];
  return [
    {
      type: "RunBlocked",
      data: {
        blocked: {
          reason: "dispatch_error",
          detail: `nothing was started: ${missing.join("; ")}`,
          attemptKept: false,
          guidance: [],
        },
      },
    },
  ];
}

/** A person is asked about it; the step keeps its work, so nothing of it is reset. */
function decideTrust({ binding: { untrusted }, status, attempts }: RunState): RunEvent[] {
  if (untrusted === undefined || status !== "running") return [];
  const attemptKept = Object.keys(attempts).length > 0;
  const reason = "protected_files";
  return [
    { type: "RunBlocked", data: { blocked: { reason, detail: untrusted, attemptKept, guidance: [] } } },
  ];
}
