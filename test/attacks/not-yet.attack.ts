import type { Attack } from "./attack.ts";
import type { ThreatId } from "./threats.ts";

const notYet = (threat: ThreatId, title: string, level: Attack["level"], reason: string): Attack => ({
  ...{ threat, title, level, promised: "prevented", count: { full: 1, short: 1 } },
  run: async () => ({ kind: "not yet", reason }),
});

const WITHOUT_API = "there is no HTTP interface yet";

/** What comes with the HTTP interface, and what nothing prevents yet. */
export const attacks: readonly Attack[] = [
  notYet("T5", "a token in the logs, referrers and addresses of the HTTP interface", "any", WITHOUT_API),
  notYet("T15", "fifty clicks at once and replayed requests at the HTTP interface", "any", WITHOUT_API),
  notYet("T18", "paths in requests to the HTTP interface", "any", WITHOUT_API),
];
