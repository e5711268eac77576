import { quarantineRule } from "../../decide/attempt/quarantine.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { diedOf } from "./death-notes.ts";
import type { Ports } from "../ports.ts";
import { takeTurn, turnAppend } from "../take-turn.ts";

/**
 * Writes to a run's journal what was noted of supervisors that ended in its turns, and whether it is quarantined: by
 * itself, before anything is decided that could end this supervisor too. A note is removed after it is in the journal;
 * one that a crash leaves there is reported again under the same id, and counts once. Answers how the owner has lost
 * the run, null where it has not.
 */
export async function takeUpDeaths(
  { deaths, world, journal }: Ports,
  state: RunState,
  epoch: number,
): Promise<{ readonly kind: "fenced" | "reload" } | null> {
  const notes = deaths?.of(state.run) ?? [];
  if (notes.length === 0) return null;
  const now = world.now();
  const events = takeTurn(state, notes.map(diedOf), now, quarantineRule);
  const outcome = await journal.append(turnAppend(state, events, { epoch, now, consumed: [] }));
  if (outcome.kind !== "appended") return { kind: outcome.kind === "fenced" ? "fenced" : "reload" };
  world.crashPoint("deaths.taken.before");
  deaths?.taken(notes);
  world.crashPoint("deaths.taken.after");
  return null;
}
