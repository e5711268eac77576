import type { Signal } from "../../model/signals.ts";
import type { LineReader } from "../keeper/read-spool.ts";
import type { SpoolLine } from "../keeper/spool-lines.ts";
import { toSignal, unknownSignal } from "../to-signal.ts";

/** The scripted agent prints one signal per line as JSON; whatever else it prints is kept as it is. */
export const demoReader = (): LineReader => ({
  read: (line) => (line.text.trim() === "" ? [] : [demoSignal(line)]),
});

function demoSignal({ text, kind }: SpoolLine): Signal {
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
