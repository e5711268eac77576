import { recoveryChoices } from "../../decide/recovery/recovery-choices.ts";
import type { Blocked } from "../../model/requests/blocked.ts";
import { commandText } from "../../model/text/command-text.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** A command to paste, and what it does. */
export interface StatusChoice {
  readonly command: string;
  readonly does: string;
}

/** Every way out of a blocked run, the safe one first. */
export const choicesView = (state: RunState, blocked: Blocked, store: string | null): StatusChoice[] =>
  recoveryChoices(state, blocked).map(({ words, does }) => ({ command: commandText(words, store), does }));
