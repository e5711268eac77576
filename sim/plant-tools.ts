import { decide } from "../src/decide/decide.ts";
import type { Journal } from "../src/journal/journal.ts";
import type { RunEvent } from "../src/model/events.ts";
import type { Rooms } from "../src/runtime/rooms.ts";

export const withJournal = (rooms: Rooms, change: (journal: Journal) => Partial<Journal>): Rooms => ({
  ...rooms,
  journal: { ...rooms.journal, ...change(rooms.journal) },
});

export const withJudge = (
  rooms: Rooms,
  change: (events: RunEvent[], ...facts: Parameters<typeof decide>) => RunEvent[],
): Rooms => ({
  ...rooms,
  judge: (state, now) => change(decide(state, now), state, now),
});
