import { decide } from "../../src/decide/decide.ts";
import type { Journal } from "../../src/journal/journal.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import type { Ports } from "../../src/runtime/ports.ts";

export const withJournal = (ports: Ports, change: (journal: Journal) => Partial<Journal>): Ports => ({
  ...ports,
  journal: { ...ports.journal, ...change(ports.journal) },
});

export const withJudge = (
  ports: Ports,
  change: (events: RunEvent[], ...facts: Parameters<typeof decide>) => RunEvent[],
): Ports => ({
  ...ports,
  decideWith: (state, now) => change(decide(state, now), state, now),
});
