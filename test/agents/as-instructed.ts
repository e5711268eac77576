import type { Signal } from "../../src/model/agent/signals.ts";

/** What is read out of a signal's texts for judging it, beside what the agent told. */
const READ_OUT = ["spoken", "does", "textAlike", "reads", "limitMs"] as const;

/** Signals as the agent told them. */
export const asInstructed = (signals: readonly Signal[]): object[] =>
  signals.map((signal) =>
    Object.fromEntries(
      Object.entries(signal).filter(([name]) => !(READ_OUT as readonly string[]).includes(name)),
    ),
  );
