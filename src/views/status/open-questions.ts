import { commandText } from "../../model/text/command-text.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** What a live agent asks a person, in a dialog of its own: the run goes on around it. */
export interface OpenQuestion {
  readonly attempt: string;
  readonly text: string;
  readonly since: string;
  /** How to answer it. */
  readonly command: string;
  readonly advice: string;
}

export function openQuestions(state: RunState, store: string | null): OpenQuestion[] {
  if (state.status !== "running") return [];
  return Object.values(state.attempts).flatMap(({ id, agent, health, ending }) => {
    const asked = health.asks.find(({ what }) => what === "person");
    if (asked === undefined || ending !== null) return [];
    const inTerminal = state.agents[agent]?.use === "tmux";
    return [
      {
        attempt: id,
        text: asked.text ?? "an answer is waited for",
        since: isoTime(asked.at),
        command: commandText(inTerminal ? ["attach", state.run] : ["tell", state.run, "YOUR ANSWER"], store),
        advice: inTerminal ? "answer in its terminal" : "answer it",
      },
    ];
  });
}
