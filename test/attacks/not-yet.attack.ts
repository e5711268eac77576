import type { Attack } from "./attack.ts";
import { THREATS, type ThreatId } from "./threats.ts";

const notYet = (threat: ThreatId, title: string, level: Attack["level"], reason: string): Attack => ({
  ...{ threat, title, level, promised: "prevented", count: { full: 1, short: 1 } },
  run: async () => ({ kind: "not yet", reason }),
});

const WITHOUT_API = "there is no HTTP interface yet";

/** What comes with the sandbox and with the HTTP interface. */
export const attacks: readonly Attack[] = [
  ...THREATS.filter(({ sandbox }) => sandbox.includes("not shown yet")).map(({ id }) =>
    notYet(
      id,
      "the same attacks by an agent in a sandbox",
      "sandbox",
      "not carried out inside the sandbox yet; test/agents/sandbox has attacks on the sandbox itself",
    ),
  ),
  notYet("T5", "a token in the logs, referrers and addresses of the HTTP interface", "any", WITHOUT_API),
  notYet("T15", "fifty clicks at once and replayed requests at the HTTP interface", "any", WITHOUT_API),
  notYet("T18", "paths in requests to the HTTP interface", "any", WITHOUT_API),
];
