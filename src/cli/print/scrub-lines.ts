import type { System } from "../../main.ts";

type Scrubbed = Awaited<ReturnType<System["scrubRun"]>>;

const NAMED_MAX = 20;

export interface ScrubReport {
  readonly lines: readonly string[];
  /** False where something is left that was to be removed. */
  readonly isClean: boolean;
  readonly document: object;
}

/** What was found and removed, without a word of the value. */
export function scrubLines(
  done: Scrubbed,
  removed: boolean,
  command: (...words: string[]) => string,
): ScrubReport {
  const { run, events, requests, files, exempt, traces, record, left } = done;
  const failed = files.filter(({ why }) => why !== undefined);
  const isFound = events.length > 0 || requests > 0 || files.length > 0 || (traces ?? 0) > 0;
  const isClean = !removed || (failed.length === 0 && !left.runs.includes(run));
  return {
    isClean,
    document: {
      run,
      dryRun: !removed,
      found: { events, requests, files, store: traces },
      exempt,
      record,
      left,
    },
    lines: [
      ...foundLines(done, isFound),
      ...exemptLines(done),
      ...(removed ? removedLines(done) : []),
      ...failed.map(({ file, why }) => `not cleaned: ${file}: ${why ?? ""}`),
      ...left.runs
        .filter((other) => other !== run)
        .map((other) => `${other} holds it too: ${command("scrub", other)}`),
      ...(removed || !isFound
        ? []
        : [`nothing was changed; to remove it: ${command("scrub", run, "--yes")}`]),
    ],
  };
}

function foundLines({ run, events, requests, files, traces }: Scrubbed, isFound: boolean): string[] {
  if (!isFound) return [`${run}: the value was not found`];
  return [
    `${run}: ${listed("event", events.map(String))}, ${counted(requests, "request")}, ${counted(files.length, "file")}`,
    ...files.map(({ file, count }) => `  ${file}: ${counted(count, "time")}`),
    ...(traces === null
      ? []
      : [`  in the files of the store, unused parts and other runs included: ${counted(traces, "time")}`]),
  ];
}

function exemptLines({ exempt }: Scrubbed): string[] {
  const { checkpoints, files } = exempt;
  return [
    ...(checkpoints.length === 0
      ? []
      : [
          `kept byte for byte: ${listed("checkpoint", checkpoints)}; they go when newer ones take their place (checkpoints.keep)`,
        ]),
    ...files.map((file) => `kept byte for byte: ${file}; remove it yourself if it may go`),
  ];
}

function removedLines({ record, left }: Scrubbed): string[] {
  const where =
    left.traces === null
      ? "the tables were written again"
      : `${counted(left.traces, "time")} left in the files of the store`;
  if (record === null) return [where];
  return [
    `removed; ${where}`,
    `recorded as event ${String(record.seq)}; event ${String(record.before.seq)} was ${record.before.hash} and is ${record.after.hash}`,
  ];
}

const counted = (count: number, what: string): string => `${String(count)} ${what}${count === 1 ? "" : "s"}`;

const listed = (what: string, names: readonly string[]): string => {
  const more = names.length > NAMED_MAX ? ", …" : "";
  return names.length === 0
    ? counted(0, what)
    : `${counted(names.length, what)} (${names.slice(0, NAMED_MAX).join(", ")}${more})`;
};
