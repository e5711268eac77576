import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { realWorld } from "../../../src/real-world.ts";
import { GOALS, SESSION } from "./continuous-session.ts";
import { sessionViolations } from "../../../sim/continuous/session-violations.ts";
import { strikeBoundaries, wrong } from "../strike-boundaries.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(5);

const ENDS = {
  first: "done",
  plain: "done",
  asks: "done",
  ghost: "ghost_retry_exhausted",
  last: "done",
  "plan-1": "done",
  "plan-1-1": "done",
  "plan-2": "done",
};
const TRIES_MAX = 4;
const SENDS_MAX = 2;

async function violations(folder: string): Promise<string[]> {
  const journal = await openSqliteJournal({ file: join(folder, "journal.db"), world: realWorld() });
  try {
    const { state, found } = await sessionViolations(journal, SESSION, GOALS);
    const tries = state.goals["ghost"]?.runs.length ?? 0;
    return [
      ...found,
      ...Object.entries(ENDS).flatMap(([id, end]) => wrong(id, state.goals[id]?.end?.kind, end)),
      ...wrongDigest(folder, state.digest),
      ...wrong("end", state.end?.kind, "idle"),
      ...(tries >= 2 && tries <= TRIES_MAX ? [] : [`${String(tries)} tries of the ghost`]),
    ];
  } finally {
    await journal.close();
  }
}

/** A kill between the channel and the record has it sent again, under the same id: never more than that. */
function wrongDigest(
  folder: string,
  {
    day,
    open,
    undelivered,
  }: { day: string | null; open: readonly unknown[]; undelivered: readonly unknown[] },
): string[] {
  const sent = readFileSync(join(folder, "digests"), "utf8").split("\n").filter(Boolean);
  const ids = new Set(sent.map((line) => /"id":\s*"([^"]+)"/.exec(line)?.[1]));
  return [
    ...(day === null ? ["no digest"] : []),
    ...wrong("digests by id", ids.size, 1),
    ...(sent.length <= SENDS_MAX ? [] : [`the digest was sent ${String(sent.length)} times`]),
    ...wrong("unsent", [...open, ...undelivered], []),
  ];
}

test("G14 J4 whoever goes on with a session may be killed at any boundary: every goal is done once or ended by name, in order", (t) =>
  strikeBoundaries(t, {
    program: "runs/continuous-session.ts",
    watched: /^(continuous\.|journal\.append)/,
    telling: [
      "continuous.append.before",
      "continuous.append.after",
      "continuous.create.before",
      "continuous.create.after",
      "continuous.ask.before",
      "continuous.ask.after",
      "continuous.digest.before",
      "continuous.digest.after",
    ],
    also: () => ["continuous.append.after#2", "continuous.append.after#3", "continuous.digest.after#1"],
    atOnce: 2,
    violations,
  }));
