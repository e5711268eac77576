import type { System } from "../../main.ts";
import { Fault, isFault } from "../../model/fault.ts";
import { isEnded, RUN_STATUSES, type RunStatus } from "../../model/state/run-status.ts";
import { nearest } from "../shell/nearest.ts";

type Journal = System["ports"]["journal"];

/** Fewer characters name a run only by accident. */
const PART_CHARS_MIN = 4;
const NEAREST_MAX = 3;

/** Runs that have not ended. */
export const OPEN_STATUSES: readonly RunStatus[] = RUN_STATUSES.filter((status) => !isEnded(status));

/**
 * The run a person means: by its id, or by the beginning or end of it where that is unique. Where none is named, the
 * only one that the command can be for, by its status.
 */
export async function findRun(
  journal: Journal,
  text: string | undefined,
  statuses: readonly RunStatus[] = OPEN_STATUSES,
): Promise<string> {
  if (text === undefined) return obviousRun(journal, statuses);
  if (await exists(journal, text)) return text;
  const damaged: string[] = [];
  const listed = await journal.runs({ onDamaged: (run) => damaged.push(run) });
  const ids = [...listed.map((listing) => listing.run), ...damaged];
  const matches = text.length < PART_CHARS_MIN ? [] : ids.filter((id) => isPartOf(text, id));
  if (matches.length === 1 && matches[0] !== undefined) return matches[0];
  throw matches.length > 1 ? several(text, matches) : unknown(text, ids);
}

async function obviousRun(journal: Journal, statuses: readonly RunStatus[]): Promise<string> {
  const [only, ...others] = await journal.runs({ statuses, onDamaged: () => undefined });
  const which = statuses
    .join(", ")
    .replace(/, (?=[^,]+$)/u, " or ")
    .replaceAll("_", " ");
  if (only === undefined)
    throw new Fault("not_found", `no run is ${which}; name the run: \`holdfast runs\` lists all`, {
      details: { statuses },
    });
  if (others.length === 0) return only.run;
  const runs = [only, ...others].map(({ run }) => run);
  throw new Fault(
    "usage",
    `which run? ${String(runs.length)} are ${which}: ${runs.slice(0, 5).join(", ")}${runs.length > 5 ? ", …" : ""}; name one of them`,
    { details: { runs: runs.slice(0, 20) } },
  );
}

/** The only run that has not ended, or the newest of all: for commands that only look. */
export async function runAtHand(journal: Journal, text?: string): Promise<string> {
  if (text !== undefined) return findRun(journal, text);
  const [open, ...others] = await journal.runs({ statuses: OPEN_STATUSES, onDamaged: () => undefined });
  return open === undefined
    ? newestRun(journal)
    : others.length === 0
      ? open.run
      : obviousRun(journal, OPEN_STATUSES);
}

/** A run whose end is damaged exists. */
async function exists(journal: Journal, run: string): Promise<boolean> {
  try {
    return (await journal.head(run)) !== null;
  } catch (error) {
    if (!isFault(error, "journal_damaged")) throw error;
    return true;
  }
}

/** The newest run, for commands that may be called without one. */
export async function newestRun(journal: Journal): Promise<string> {
  const [newest] = await journal.runs({ limit: 1, onDamaged: () => undefined });
  if (newest === undefined)
    throw new Fault("not_found", 'there is no run in this store yet; start one with `holdfast run "GOAL"`');
  return newest.run;
}

const isPartOf = (text: string, id: string): boolean =>
  id.startsWith(text) || id.endsWith(text) || id.startsWith(`run_${text}`);

const several = (text: string, matches: readonly string[]): Fault =>
  new Fault(
    "not_found",
    `"${text}" is part of ${String(matches.length)} run ids: ${matches.slice(0, 5).join(", ")}; expected one of them in full`,
    { details: { run: text, matches: matches.slice(0, 20) } },
  );

function unknown(text: string, ids: readonly string[]): Fault {
  const near = nearest(text, ids, NEAREST_MAX);
  const closest = near.length > 0 ? near : ids.slice(0, NEAREST_MAX);
  const words =
    closest.length === 0
      ? "the store holds no runs yet"
      : `${near.length > 0 ? "the nearest" : "the newest"} ${closest.length === 1 ? "is" : "are"} ${closest.join(", ")}`;
  return new Fault(
    "not_found",
    `there is no run "${text}" in this store; ${words}; \`holdfast runs\` lists all`,
    {
      details: { run: text, nearest: closest },
    },
  );
}
