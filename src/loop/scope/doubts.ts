import { keyText } from "../../model/values/program-key.ts";
import { recordAt } from "../../model/state/program-state.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { ProgramRun } from "../../model/state/run-state.ts";
import type { ProcessLifetime, OpenScope, DoubtAnswer } from "./open-scope.ts";

export const inDoubt = (key: string): RunEvent => ({
  type: "RunBlocked",
  data: {
    blocked: {
      reason: "in_doubt",
      detail: `step "${keyText(key)}" was begun by a process that died; whether it was done is not known`,
      step: key,
      attemptKept: true,
      guidance: [],
    },
  },
});

/** What is said of steps in doubt, with what follows from it for the run: the next doubt, or none. */
export function saidOfDoubts(
  { program, blocked }: Readonly<ProgramRun>,
  keys: readonly string[],
  { answer, by }: { readonly answer: DoubtAnswer; readonly by: string },
): RunEvent[] {
  const said = keys.map((key): RunEvent =>
    answer === null
      ? { type: "BodyStepCleared", data: { key, by } }
      : { type: "BodyStepEnded", data: { key, ended: { kind: "value", value: answer.done } } },
  );
  // Something may be said before anybody was asked: then nothing is blocked by it.
  if (blocked?.reason !== "in_doubt") return said;
  return [...said, afterDoubts(program.doubts.filter((key) => !keys.includes(key)))];
}

const afterDoubts = ([next]: readonly string[]): RunEvent =>
  next === undefined ? { type: "RunUnblocked", data: {} } : inDoubt(next);

/** A run is not blocked by a step that nobody waits for any more, because what it was part of has ended. */
export const forgottenDoubt = ({ status, blocked, program }: Readonly<ProgramRun>): RunEvent[] =>
  status === "blocked" && blocked?.reason === "in_doubt" && !program.doubts.includes(blocked.step ?? "")
    ? [afterDoubts(program.doubts)]
    : [];

/**
 * The steps of this life that were begun by an earlier one and have no recorded end. Somebody may have spoken before
 * this life came to the step, or while it looks itself: everything that is recorded first holds, for both.
 */
export class Doubts {
  readonly #asking = new Map<string, (answer: DoubtAnswer) => void>();

  /**
   * Blocks the run until somebody says what became of the step. What is said is recorded by the one that receives it.
   */
  async ask(scope: OpenScope, key: string): Promise<DoubtAnswer> {
    const answer = new Promise<DoubtAnswer>((resolve) => {
      this.#asking.set(key, resolve);
    });
    const { life } = scope;
    const pay = life.budget.clock.hold(scope.path);
    try {
      await scope.commitDecided(() => {
        const { blocked, program } = life.state;
        const isAsked = blocked?.reason === "in_doubt" && program.doubts.includes(key);
        return isAsked || !isOpen(life, key) ? [] : [inDoubt(key)];
      });
      return isOpen(life, key) ? await scope.race(answer) : await recordedWord(life, key);
    } finally {
      pay();
    }
  }

  /** The program itself says what became of the step, of which a person may have been asked before. */
  async settle(scope: OpenScope, key: string, answer: DoubtAnswer): Promise<DoubtAnswer> {
    const { life } = scope;
    let isReceived = false;
    await scope.commitDecided(() => {
      isReceived = isOpen(life, key);
      if (!isReceived) return [];
      if (life.state.program.doubts.includes(key))
        return saidOfDoubts(life.state, [key], { answer, by: "program" });
      return answer === null
        ? []
        : [{ type: "BodyStepEnded", data: { key, ended: { kind: "value", value: answer.done } } }];
    });
    return isReceived ? answer : recordedWord(life, key);
  }

  answer(key: string, answer: DoubtAnswer): void {
    const resolve = this.#asking.get(key);
    this.#asking.delete(key);
    resolve?.(answer);
  }
}

/** Whether it was begun and nothing is recorded of its end. */
export const isOpen = ({ state }: ProcessLifetime, key: string): boolean =>
  recordAt(state.program, key)?.kind === "intended";

/** What somebody said of a step before this life could ask. */
async function recordedWord(life: ProcessLifetime, key: string): Promise<DoubtAnswer> {
  const record = recordAt(life.state.program, key);
  return record?.kind === "value" ? { done: await life.recorded(record) } : null;
}
