import type { ProgramRecord } from "../../model/state/program-state.ts";
import { Fault } from "../../model/fault.ts";
import { diffState, freezeDeep, patchState } from "../../model/values/state-patch.ts";
import type { Turn } from "../workflow-function.ts";
import { asJson, asJsonPatch } from "./json-value.ts";
import type { OpenScope } from "./open-scope.ts";

interface LoopOrder<State> {
  readonly key: string;
  readonly name: string;
  readonly initial: State;
  /** What is recorded of the loop, as of now. */
  readonly record: () => ProgramRecord | undefined;
  /** Waits for what has to be known before anything is recorded of the loop. */
  readonly beforeCommit: () => Promise<void> | undefined;
  readonly iterate: (state: State, i: number) => Promise<Turn<State>>;
}

/** Goes on with a loop after the last iteration that was committed. */
export async function doLoop<State>(scope: OpenScope, order: LoopOrder<State>): Promise<State> {
  const { key, name, initial, iterate } = order;
  const record = order.record();
  const before = record?.kind === "looped" ? record : null;
  let committed = before === null ? undefined : (freezeDeep(before.state) as State);
  let state =
    before === null
      ? (freezeDeep(asJson(initial, `the first state of "${name}"`)) as State)
      : (before.state as State);
  let done = before?.done ?? false;
  for (let i = before === null ? 0 : before.i + 1; !done; i += 1) {
    if (!scope.life.affords(scope, "iteration")) await scope.life.afford(scope, "iteration");
    const turn = await iterate(state, i);
    checkTurn(turn, name, i);
    const patch = asJsonPatch(
      diffState(committed, turn.state),
      `the state of "${name}" after iteration ${String(i)}`,
    );
    ({ done } = turn);
    const known = order.beforeCommit();
    if (known !== undefined) await known;
    await scope.commit([{ type: "BodyLooped", data: { key, i, patch, done } }]);
    const after = order.record();
    // The fold has applied the patch already; its object is the one to compare the next state with.
    state = freezeDeep(after?.kind === "looped" ? after.state : patchState(committed, patch)) as State;
    committed = state;
  }
  return state;
}

/** A workflow function in plain JavaScript may give back anything. */
function checkTurn(turn: unknown, name: string, i: number): void {
  const given = typeof turn === "object" && turn !== null ? (turn as Partial<Turn<unknown>>) : {};
  if (typeof given.done === "boolean" && given.state !== undefined) return;
  const wrong =
    turn === undefined
      ? "nothing"
      : given.state === undefined
        ? "no state"
        : `done as ${JSON.stringify(given.done) ?? "undefined"}`;
  throw new Fault(
    "usage",
    `iteration ${String(i)} of the loop "${name}" gave back ${wrong}; return { state, done } from every iteration, done being true or false`,
  );
}
