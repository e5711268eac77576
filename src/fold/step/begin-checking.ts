import { unbound } from "../../model/state/bound-tree.ts";
import type { EventData } from "../../model/events/events.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { isGuarded } from "../gate/evolve-guard.ts";

/** The agent is done; whether the step is, its checks will say. */
export function beginChecking(
  state: RunState,
  step: StepState,
  data: Pick<EventData<"AttemptEnded">, "attempt" | "result" | "word">,
): void {
  step.status = "checking";
  step.result = data.result ?? null;
  step.checking = {
    attempt: data.attempt,
    evidence: [],
    bound: unbound(),
    runs: 0,
    unknowns: 0,
    guarded: isGuarded(state) ? "no" : "yes",
    outputs: null,
    reviews: [],
    asked: 0,
    looks: 0,
    lookFailures: 0,
    lookFailure: "",
    word: data.word ?? "claimed",
    since: state.checkpointed,
    tree: null,
    proposed: null,
    breach: null,
    joined: null,
  };
  state.checking[step.spec.name] = true;
}
