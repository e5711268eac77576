import type { Reader } from "../../open-reader.ts";
import { isFault } from "../../model/fault.ts";
import { sessionNote, type SessionNote } from "../../views/continuous/session-note.ts";
import { printableLine } from "../../model/text/printable.ts";
import type { Invocation } from "../shell/invocation.ts";

const TEXT_CHARS_MAX = 300;

/** The continuous sessions that are not over, for commands that show the whole store. */
export async function openSessions(call: Invocation, system: Reader): Promise<SessionNote[]> {
  const now = system.ports.world.now();
  const notes: SessionNote[] = [];
  for (const name of await system.continuous.open()) {
    const state = await system.continuous.load(name).catch((fault: unknown) => {
      // `verify` names it; it hides nothing else.
      if (isFault(fault, "journal_damaged") || isFault(fault, "event_unknown")) return null;
      throw fault;
    });
    if (state !== null) notes.push(sessionNote(state, now, call.store.named));
  }
  return notes;
}

export const sessionLines = (notes: readonly SessionNote[]): string[] =>
  notes.flatMap(({ text, command }) => [
    printableLine(text, TEXT_CHARS_MAX),
    ...(command === null ? [] : [`  ${printableLine(command, TEXT_CHARS_MAX)}`]),
  ]);
