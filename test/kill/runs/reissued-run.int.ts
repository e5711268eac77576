import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import { realWorld } from "../../../src/real-world.ts";
import { plainGit } from "../../workspace/plain-git.ts";
import { REISSUED_RUN } from "./reissued-run.ts";
import { count, passageAfter, strikeBoundaries, wrong } from "../strike-boundaries.ts";

/** What must hold whatever was killed: one block, one reconciling, one reissue with all that belongs to it, one end. */
async function violations(folder: string): Promise<string[]> {
  const project = join(folder, "project");
  const git = (...args: string[]): string => plainGit(project, args).trim();
  const head = git("rev-parse", "HEAD");
  const journal = await openSqliteJournal({ file: join(folder, "journal.db"), world: realWorld() });
  try {
    const events = await journal.read(REISSUED_RUN, { after: 0, limit: 100_000 });
    const blocked = events.flatMap(({ type, data }) => (type === "RunBlocked" ? [data.blocked.reason] : []));
    const bases = events.flatMap(({ type, data }) => (type === "BaseNoted" ? [data.commit] : []));
    const ends = events.flatMap(({ type, data }) => (type === "AttemptEnded" ? [data] : []));
    return [
      ...wrong("commits", git("log", "--format=%s"), "on top\nbegin"),
      ...wrong("the user's tree", git("status", "--porcelain"), ""),
      ...wrong("the user's file", readFileSync(join(project, "mine"), "utf8"), "the user's\n"),
      ...wrong("blocked", blocked, ["drift"]),
      ...wrong("unblocked", count(events, "RunUnblocked"), 1),
      ...wrong("the last base", bases.at(-1), head),
      ...wrong("reissues", count(events, "StepsReissued"), 1),
      ...wrong("what the reissue leaves out", leftOut(events), []),
      ...wrong("steps done", count(events, "StepSucceeded"), 1),
      ...wrong("runs done", count(events, "RunCompleted"), 1),
      ...wrong("who was done", doneBefore(events), []),
      ...wrong("sessions without an end", count(events, "AttemptStarted") - ends.length, 0),
      ...wrong("charged", ends.filter(({ charged }) => charged).length, 0),
      ...wrong("damage", await journal.verify(), []),
    ];
  } finally {
    await journal.close();
  }
}

/**
 * The one that was at work when the task was given out again is ended, and the step begun again, in the same append.
 */
function leftOut(events: readonly Recorded[]): string[] {
  const at = events.findIndex(({ type }) => type === "StepsReissued");
  const one = events
    .slice(at + 1)
    .findIndex(({ type }) => type === "EffectIntended" || type === "RequestAnswered");
  const types = events.slice(at, at + 1 + one).map(({ type }) => type);
  return ["StepsReissued", "StepReset", "StepAdvised"].filter(
    (type) => !types.includes(type as Recorded["type"]),
  );
}

/** Attempts from before the task was given out again do not do it, no matter what they claim. */
function doneBefore(events: readonly Recorded[]): string[] {
  const at = events.findIndex(({ type }) => type === "StepsReissued");
  return events
    .slice(0, at)
    .flatMap(({ type, data }) => (type === "AttemptStarted" ? [data.attempt] : []))
    .filter((attempt) =>
      events.some(
        ({ type, data }) =>
          type === "AttemptEnded" && data.attempt === attempt && data.outcome === "succeeded",
      ),
    );
}

/** The append that answers the last thing asked, the reissue. */
const answer = (trace: readonly string[]): string[] =>
  ["journal.append.before", "journal.append.after"].flatMap((name) =>
    passageAfter(trace, trace.lastIndexOf("journal.ask.after"), name),
  );

test("W6 W7 a supervisor killed at any boundary of a look at the base, a reconciling or a reissue leaves no half state: the next start finishes it", (t) =>
  strikeBoundaries(t, {
    program: "runs/reissued-run.ts",
    watched: /^(effect\.(LookAtHead|StartAgent|EndAgent)|journal\.(ask|append)|session)\./,
    telling: ["effect.LookAtHead.after", "effect.EndAgent.after", "session.end.before"],
    also: answer,
    atOnce: 3,
    violations,
  }));
