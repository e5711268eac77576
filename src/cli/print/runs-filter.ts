import path from "node:path";
import { BLOCKED_REASONS } from "../../model/requests/blocked.ts";
import { durationMs } from "../../model/text/duration.ts";
import { Fault } from "../../model/fault.ts";
import { RUN_STATUSES, type RunStatus } from "../../model/state/run-status.ts";
import { didYouMean } from "../shell/nearest.ts";
import { repositoryOf } from "../config/repository-root.ts";
import { isWithin, type RunDetails } from "../run/run-details.ts";

export interface RunsOptions {
  readonly status?: string;
  readonly repo?: string;
  readonly since?: string;
  readonly blockedBy?: string;
}

/** Which runs are wanted. */
export interface RunsFilter {
  readonly statuses: readonly RunStatus[] | undefined;
  /** Changed at this time or later. */
  readonly since: number;
  readonly isWanted: (details: RunDetails) => boolean;
}

/** What was asked for in words, checked. */
export function runsFilter(
  { status, repo, since, blockedBy }: RunsOptions,
  cwd: string,
  now: number,
): RunsFilter {
  const statuses = status?.split(",").map((word) => oneOf("--status", word.trim(), RUN_STATUSES));
  const reason = blockedBy === undefined ? null : oneOf("--blocked-by", blockedBy, BLOCKED_REASONS);
  const named = repo === undefined ? null : path.resolve(cwd, repo);
  const folder = named === null ? null : (repositoryOf(named) ?? named);
  return {
    statuses,
    since: since === undefined ? 0 : sinceTime(since, now),
    isWanted: (details) =>
      (folder === null || isWithin(details.repository, folder)) &&
      (reason === null || details.blockedBy === reason),
  };
}

function oneOf<Word extends string>(option: string, word: string, known: readonly Word[]): Word {
  const found = known.find((one) => one === word);
  if (found !== undefined) return found;
  throw new Fault(
    "usage",
    `${option} is "${word}"${didYouMean(word, known)} Expected one of ${known.join(", ")}`,
    { details: { option, word } },
  );
}

/** `2d`: within the last two days; or a date, with or without a time. */
function sinceTime(text: string, now: number): number {
  if (/^\d{4}-\d\d-\d\d/.test(text)) {
    const at = Date.parse(text);
    if (!Number.isNaN(at)) return at;
  }
  try {
    return now - durationMs(text);
  } catch (error) {
    throw new Fault(
      "usage",
      `--since "${text}" is no time; expected one such as 2h, 7d or 2026-03-01T07:30`,
      {
        cause: error,
      },
    );
  }
}
