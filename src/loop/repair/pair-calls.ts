import type { CallPart, Draft, ResultPart } from "./draft.ts";
import { sameJson } from "./repair.ts";

/** Which result belongs to which call, and what belongs to nothing. */
export interface Pairing {
  readonly answers: Map<CallPart, ResultPart>;
  readonly repeatedCalls: ReadonlySet<CallPart>;
  readonly clashingCalls: ReadonlySet<CallPart>;
  readonly repeatedResults: ReadonlySet<ResultPart>;
  readonly orphanedResults: ReadonlySet<ResultPart>;
}

interface Placed {
  readonly part: CallPart;
  readonly index: number;
}

/**
 * Pairs by id, in the order of the history. Some vendors use an id again in a later turn, so a result belongs to the
 * latest message before it that calls under its id; only a result that precedes every such call looks ahead.
 */
export function pairCalls(drafts: readonly Draft[], uniqueIds: "history" | "message"): Pairing {
  const pairer = new Pairer(uniqueIds);
  for (const [index, draft] of drafts.entries()) {
    for (const part of draft.parts) {
      if (part.kind === "call") pairer.call(part, index);
      if (part.kind === "result") pairer.result(part);
    }
  }
  return pairer.close();
}

class Pairer {
  readonly #uniqueIds: "history" | "message";
  readonly #calls = new Map<string, Placed[]>();
  readonly #early: ResultPart[] = [];
  readonly #pairing = {
    answers: new Map<CallPart, ResultPart>(),
    repeatedCalls: new Set<CallPart>(),
    clashingCalls: new Set<CallPart>(),
    repeatedResults: new Set<ResultPart>(),
    orphanedResults: new Set<ResultPart>(),
  };

  constructor(uniqueIds: "history" | "message") {
    this.#uniqueIds = uniqueIds;
  }

  call(part: CallPart, index: number): void {
    const earlier = this.#calls.get(part.id) ?? [];
    const wide = this.#uniqueIds === "history";
    // A message that was recorded twice follows itself at once: across turns, the same call may be meant again.
    const twin = earlier.some((other) => sameCall(other.part, part) && (wide || index - other.index <= 1));
    if (twin) {
      this.#pairing.repeatedCalls.add(part);
      return;
    }
    if (earlier.some((other) => wide || other.index === index)) this.#pairing.clashingCalls.add(part);
    this.#calls.set(part.id, [...earlier, { part, index }]);
  }

  result(part: ResultPart): void {
    const calls = this.#calls.get(part.id);
    if (calls === undefined) this.#early.push(part);
    else this.#give(part, latestOf(calls));
  }

  close(): Pairing {
    for (const part of this.#early) {
      const calls = this.#calls.get(part.id);
      if (calls === undefined) this.#pairing.orphanedResults.add(part);
      else this.#give(part, calls);
    }
    return this.#pairing;
  }

  #give(result: ResultPart, calls: readonly Placed[]): void {
    const { answers, repeatedResults } = this.#pairing;
    const open = calls.find((call) => !answers.has(call.part));
    const marked = calls.find((call) => answers.get(call.part)?.interrupted);
    const taker = open ?? (result.interrupted ? undefined : marked);
    if (taker === undefined) {
      repeatedResults.add(result);
      return;
    }
    const replaced = answers.get(taker.part);
    if (replaced !== undefined) repeatedResults.add(replaced);
    answers.set(taker.part, result);
  }
}

const latestOf = (calls: readonly Placed[]): readonly Placed[] =>
  calls.filter((call) => call.index === calls.at(-1)?.index);

const sameCall = (left: CallPart, right: CallPart): boolean =>
  left.name === right.name && sameJson(left.args, right.args);
