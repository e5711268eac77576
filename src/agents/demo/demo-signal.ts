import type { Signal } from "../../model/signals.ts";
import type { SpoolLine } from "../keeper/spool-lines.ts";
import { toSignal, unknownSignal } from "../to-signal.ts";

/** The scripted agent prints one signal per line as JSON; whatever else it prints is kept as it is. */
export function demoSignal({ text, kind }: SpoolLine): Signal | undefined {
  if (text.trim() === "") return undefined;
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
