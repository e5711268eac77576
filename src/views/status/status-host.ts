import { delayedEffects } from "../../decide/attempt/live-attempt.ts";
import { commandText } from "../../model/text/command-text.ts";
import { HOST_FAULT_TEXT, type HostFault } from "../../model/host/host-fault.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** What the host has run out of, and what of the run waits for it. */
export interface HostFaultView {
  readonly fault: HostFault;
  /** Null where that is not known. */
  readonly since: string | null;
  /** The effect that waits, and of which attempt. */
  readonly what: string;
  readonly text: string;
  readonly command: string;
}

const TEXT_CHARS_MAX = 300;

/** Nothing of it is charged to the run; it goes on by itself when the host serves again. */
export const hostFaultsOf = (state: RunState, store: string | null = null): HostFaultView[] =>
  delayedEffects(state).map(({ fault, since, kind, attempt, text }) => ({
    fault,
    since: isoTime(since),
    what: attempt === null ? kind : `${kind} of ${attempt}`,
    text: `${HOST_FAULT_TEXT[fault].what} (${text.slice(0, TEXT_CHARS_MAX)}); it is tried again by itself and nothing is charged; ${HOST_FAULT_TEXT[fault].help}`,
    command: commandText(["doctor"], store),
  }));

export const hostEvidence = (state: RunState): string[] =>
  hostFaultsOf(state).map(
    ({ what, since, text, command }) =>
      `${what} waits for the host${since === null ? "" : ` since ${since}`}: ${text}: ${command}`,
  );
