import { stopWithoutContext } from "../health/context-rule.ts";
import { decideGrounds } from "../resources/decide-shared-resources.ts";
import { effectsToPerform, quarantineRule } from "../attempt/quarantine.ts";
import { storeDueAt, storeRule as decideStore } from "../resources/store-rule.ts";
import { trustRule as decideTrust } from "../dispatch/trust-rule.ts";
import { due, type Rule } from "./rule.ts";

export const deathsRule: Rule = { name: "quarantine", decide: quarantineRule };

export const storeRule: Rule = {
  name: "store",
  decide: decideStore,
  dueAt: (state, now) => due(storeDueAt(state, now)),
};

export const contextRule: Rule = { name: "context", decide: stopWithoutContext };

export const resourceRule: Rule = { name: "resource", decide: decideGrounds };

export const trustRule: Rule = { name: "trust", decide: decideTrust };

/** What was intended is carried out, or found out about, before the run is left. */
export const effectRule: Rule = {
  name: "effect",
  holdsOpen: (state) => Object.keys(effectsToPerform(state)).length > 0,
  owes: ({ effects }) => Object.keys(effects).length > 0,
};
