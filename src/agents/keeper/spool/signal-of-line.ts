import type { Signal } from "../../../model/agent/signals.ts";
import type { SpoolLine } from "./spool-lines.ts";
import { toSignal, unknownSignal } from "../../to-signal.ts";

/** A line of a program of ours that prints one signal per line as JSON; whatever else stands there is kept as it is. */
export function signalOfLine({ text, kind }: SpoolLine): Signal {
  if (kind !== "whole") return unknownSignal(text);
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return unknownSignal(text);
  }
  const signal = toSignal(said);
  // How the agent exited is for its keeper to tell, not for the agent.
  return signal.kind === "exit" || signal.kind === "unknown" ? unknownSignal(text) : signal;
}
