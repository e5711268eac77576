import type { System } from "../main.ts";
import { isoTime } from "../model/iso-time.ts";
import { printableLine } from "../model/printable.ts";
import { supervisionOf, type Looked } from "../views/supervision.ts";
import type { StatusSupervision } from "../views/status-supervision.ts";
import { tableLines } from "./table.ts";

type Listing = Awaited<ReturnType<System["rooms"]["journal"]["runs"]>>[number];

const GOAL_CHARS_MAX = 60;

/** Who supervises a run, by its listing alone. */
export const listedSupervision = (
  { run, status, wakeAt }: Listing,
  lookedOf: (run: string) => Looked,
): StatusSupervision | null =>
  supervisionOf(
    { run, status, due: wakeAt === null ? null : { at: wakeAt, what: "what it has to do by itself" } },
    lookedOf(run),
  );

/** What brings a supervisor to a run that works or has a deadline and has nobody; null for all others. */
function lacking(listing: Listing, lookedOf: (run: string) => Looked): string | null {
  const supervision = listedSupervision(listing, lookedOf);
  return supervision?.state === "none" ? supervision.command : null;
}

/** Runs as rows, in the order given; below them how many have nobody, although they work or have a deadline. */
export const runsTable = (runs: readonly Listing[], lookedOf: (run: string) => Looked): string[] => [
  ...tableLines([
    ["RUN", "STATUS", "UPDATED", "GOAL"],
    ...runs.map((listing) => [
      listing.run,
      lacking(listing, lookedOf) === null ? listing.status : `${listing.status}, not supervised`,
      isoTime(listing.updatedAt).slice(0, 19),
      printableLine(listing.goal, GOAL_CHARS_MAX),
    ]),
  ]),
  ...notSupervisedLines(runs, lookedOf),
];

export function notSupervisedLines(runs: readonly Listing[], lookedOf: (run: string) => Looked): string[] {
  const commands = runs.flatMap((listing) => lacking(listing, lookedOf) ?? []);
  const [command] = commands;
  if (command === undefined) return [];
  const count = commands.length === 1 ? "1 run is" : `${String(commands.length)} runs are`;
  return [`${count} not supervised: ${command} (a library's run: start its program)`];
}
