import path from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import type { System } from "../../../main.ts";
import { Fault, isFault } from "../../../model/fault.ts";
import { isEnded, notEnded } from "../../../model/state/run-status.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { findRun } from "../../run/find-run.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { nameStore } from "../../shell/name-store.ts";

interface ArchiveOptions {
  readonly olderThan?: number;
  readonly to?: string;
  readonly dryRun?: boolean;
}

type Journal = System["ports"]["journal"];
type Listing = Awaited<ReturnType<Journal["runs"]>>[number];

export function addArchive(parent: Command, bind: Bind): void {
  parent
    .command("archive")
    .summary("move ended runs out of the store, into files")
    .description(
      "Exports runs that are completed, failed or cancelled to a folder, checks what was written, and only then removes them from the store. Stopped at any instant, a run is in the store or in its file; asking again goes on. Its id may be used again afterwards. The files are exports: `verify`, `replay` and `diff` read them.",
    )
    .argument("[RUN...]", "ids of runs, or the beginning or end of them; or none, with --older-than")
    .option("--older-than <age>", "all ended runs unchanged for so long, such as 30d, 12h, 45m", age)
    .option("--to <folder>", "where to; else the folder archive in the state folder")
    .option("--dry-run", "say what would be archived, and do nothing")
    .addHelpText(
      "after",
      examples(
        ["archive mail-1 mail-2 --to ./old-runs", "these two"],
        ["archive --older-than 30d --dry-run", "what would go, if it went"],
      ),
    )
    .action(bind(archive));
}

const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** How long a run has not changed, as people write it. */
export function age(value: string): number {
  const [, count, unit] = /^(\d{1,5})([mhdw])$/.exec(value) ?? [];
  const unitMs = UNIT_MS[unit ?? ""];
  if (unitMs === undefined)
    throw new InvalidArgumentError("Expected a number with m, h, d or w after it, such as 30d.");
  return Number(count) * unitMs;
}

async function archive(call: Invocation, words: string[], options: ArchiveOptions): Promise<number> {
  const { olderThan, to, dryRun = false } = options;
  if (words.length === 0 && olderThan === undefined)
    throw new Fault("usage", "nothing is named to be archived; name runs, or give --older-than 30d");
  if (words.length > 0 && olderThan !== undefined)
    throw new Fault("usage", "runs are named and --older-than is given; expected one or the other");
  const folder =
    to === undefined ? path.join(call.stateFolder, "archive") : path.resolve(call.surroundings.cwd, to);
  return call.withSystem("empty", async (system) => {
    const { journal, world } = system.ports;
    const chosen =
      olderThan === undefined
        ? await named(journal, words)
        : await unchangedSince(journal, world.now() - olderThan);
    return dryRun ? printPlan(call, folder, chosen) : archiveAll(call, system, { folder, chosen });
  });
}

/** All or none: if one of them may not go, nothing is begun. */
async function named(journal: Journal, words: readonly string[]): Promise<Listing[]> {
  const runs = new Set<string>();
  for (const word of words) runs.add(await findRun(journal, word));
  const chosen = (await journal.runs()).filter(({ run }) => runs.has(run));
  for (const { run, status } of chosen) if (!isEnded(status)) throw notEnded(run, status);
  return chosen;
}

const unchangedSince = async (journal: Journal, time: number): Promise<Listing[]> =>
  (await journal.runs({ statuses: ["completed", "failed", "cancelled"] })).filter(
    ({ updatedAt }) => updatedAt <= time,
  );

function printPlan(call: Invocation, folder: string, chosen: readonly Listing[]): number {
  const plan = chosen.map(({ run, status, seq }) => ({ run, status, events: seq }));
  call.output.document({ dryRun: true, folder, archived: [], wouldArchive: plan, refused: [] });
  for (const { run, status, events } of plan)
    call.output.line(`would archive ${run} (${status}, ${String(events)} events)`);
  call.output.line(`${String(plan.length)} runs would be archived to ${folder}; nothing was done`);
  return EXIT.done;
}

/** One after another; one that is refused, since somebody has just taken it, keeps none of the others. */
async function archiveAll(
  call: Invocation,
  system: System,
  { folder, chosen }: { readonly folder: string; readonly chosen: readonly Listing[] },
): Promise<number> {
  const archived: { run: string; file: string; events: number }[] = [];
  const refused: Fault[] = [];
  for (const { run } of chosen) {
    try {
      const done = await system.archiveRun(run, folder);
      archived.push(done);
      call.output.line(`${run}: ${String(done.events)} events are in ${done.file}`);
    } catch (error) {
      if (!isFault(error, "refused")) throw error;
      refused.push(error);
    }
  }
  return printEnd(call, { folder, archived, refused });
}

function printEnd(
  call: Invocation,
  end: { readonly folder: string; readonly archived: readonly unknown[]; readonly refused: readonly Fault[] },
): number {
  const { folder, archived, refused } = end;
  const said = refused.map((fault) => nameStore(fault.message, call.store.named));
  const [first] = refused;
  const error =
    first === undefined ? {} : { error: { code: first.code, message: said[0], details: first.details } };
  call.output.document({ dryRun: false, folder, archived, refused: said, ...error });
  if (archived.length === 0 && refused.length === 0) call.output.line("there was nothing to archive");
  for (const text of said) call.output.note(`holdfast: ${text}`);
  return refused.length === 0 ? EXIT.done : EXIT.refused;
}
