import { isDeepStrictEqual } from "node:util";
import type { Rule, Rules } from "../../src/decide/rules/rule.ts";
import { RULES } from "../../src/decide/rules.ts";
import { isAtRest, decide } from "../../src/decide/decide.ts";
import { nextDeadline } from "../../src/decide/dispatch/deadlines.ts";
import type { Recorded } from "../../src/model/events/events.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { foldEvent } from "../../src/views/runs/run-summary.ts";
import { cutAt, cutJournals, readCutJournal, readCuts, type Cut } from "../fold/journal-cuts.ts";
import { RULE_CASES } from "./rule-cases.ts";

const PARTS = ["decide", "decideUnowned", "dueAt", "holdsOpen", "owes"] as const;
type Part = (typeof PARTS)[number];

/** The table of rules without one part of one rule. It is made in memory. */
export interface Mutant {
  readonly name: string;
  readonly part: Part;
  readonly rules: Rules;
}

export const MUTANTS: readonly Mutant[] = RULES.flatMap((rule) =>
  PARTS.filter((part) => rule[part] !== undefined).map((part) => ({
    name: `${rule.name}.${part}`,
    part,
    rules: RULES.map((one): Rule => (one === rule ? withoutPart(rule, part) : one)),
  })),
);

function withoutPart(rule: Rule, part: Part): Rule {
  const rest: { -readonly [Key in keyof Rule]: Rule[Key] } = { ...rule };
  delete rest[part];
  return rest;
}

/** The title of the first test that fails with the mutant in place of the rules; null while it is alive. */
export function killedByCase({ rules }: Mutant): string | null {
  const killer = RULE_CASES.find((one) => {
    try {
      one.check(rules);
      return false;
    } catch {
      return true;
    }
  });
  return killer?.title ?? null;
}

const HOUR_MS = 3_600_000;

/** Kills those whose absence changes what follows from a golden journal that is cut somewhere; by name of its test. */
export async function killedByCuts(mutants: readonly Mutant[]): Promise<Map<string, string>> {
  const killed = new Map<string, string>();
  for (const name of cutJournals()) {
    const recorded = readCuts(name);
    let state: RunState | null = null;
    for (const [index, event] of (await readCutJournal(name)).entries()) {
      state = foldEvent(state, event);
      for (const mutant of mutants)
        if (!killed.has(mutant.name) && kills(state, event, recorded[index], mutant))
          killed.set(mutant.name, `J9 the golden journal ${name}, cut after event ${String(event.seq)}`);
    }
    if (killed.size === mutants.length) break;
  }
  return killed;
}

/** A quick look first: a whole cut takes turns of a supervisor. */
function kills(state: RunState, event: Recorded, cut: Cut | undefined, { part, rules }: Mutant): boolean {
  const { at } = event;
  const differs = {
    dueAt: () => nextDeadline(state, at, rules) !== nextDeadline(state, at),
    holdsOpen: () => isAtRest(state, at, rules) !== isAtRest(state, at),
    decide: () =>
      [at, at + HOUR_MS, at + 24 * HOUR_MS].some(
        (now) => !isDeepStrictEqual(decide(state, now, rules), decide(state, now)),
      ),
    // Of these a cut says nothing.
    owes: () => false,
    decideUnowned: () => false,
  };
  return differs[part]() && !isDeepStrictEqual(JSON.parse(JSON.stringify(cutAt(state, event, rules))), cut);
}
