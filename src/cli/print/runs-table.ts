import path from "node:path";
import type { System } from "../../main.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { printableLine } from "../../model/text/printable.ts";
import { supervisionOf, type Looked } from "../../views/status/supervision.ts";
import type { StatusSupervision } from "../../views/status/status-supervision.ts";
import type { RunDetails } from "../run/run-details.ts";
import { tableLines } from "./table.ts";
import { durationText } from "./local-times.ts";

type Listing = Awaited<ReturnType<System["ports"]["journal"]["runs"]>>[number];

const GOAL_CHARS_MAX = 60;

/** Who supervises a run, by its listing alone. */
export const listedSupervision = (
  { run, status, wakeAt }: Listing,
  lookedOf: (run: string) => Looked,
): StatusSupervision | null =>
  supervisionOf(
    { run, status, due: wakeAt === null ? null : { at: wakeAt, what: "its next deadline" } },
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
      isoTime(listing.updatedAt),
      printableLine(listing.goal, GOAL_CHARS_MAX),
    ]),
  ]),
  ...notSupervisedLines(runs, lookedOf),
];

/** The process that supervises a run; null for nobody. */
export const ownerOf = ({ seen: { owner } }: Looked): string | null =>
  owner === null ? null : `pid ${String(owner.pid)} on ${owner.host}`;

interface Detailed {
  readonly listing: Listing;
  readonly details: RunDetails;
}

/** The same, with where each works, who does, at what, and what it cost. */
export const detailedTable = (runs: readonly Detailed[], lookedOf: (run: string) => Looked): string[] => [
  ...tableLines([
    ["RUN", "STATUS", "CHANGED", "REPOSITORY", "AGENT", "STEP", "COST", "OWNER", "GOAL"],
    ...runs.map(({ listing, details }) => [
      listing.run,
      `${listing.status}${remarkOn(listing, details, lookedOf)}`,
      `${durationText(lookedOf(listing.run).now - listing.updatedAt)} ago`,
      details.repository === null ? "-" : path.basename(details.repository),
      details.agents.join(", ") || "-",
      details.step ?? "-",
      details.usd === null || details.usd === 0 ? "-" : `$${details.usd.toFixed(2)}`,
      ownerOf(lookedOf(listing.run)) ?? "-",
      printableLine(listing.goal, GOAL_CHARS_MAX),
    ]),
  ]),
  ...notSupervisedLines(
    runs.map(({ listing }) => listing),
    lookedOf,
  ),
];

function remarkOn(listing: Listing, details: RunDetails, lookedOf: (run: string) => Looked): string {
  if (lacking(listing, lookedOf) !== null) return ", not supervised";
  return details.isUnverified === true ? ", unverified" : "";
}

export function notSupervisedLines(runs: readonly Listing[], lookedOf: (run: string) => Looked): string[] {
  const commands = runs.flatMap((listing) => lacking(listing, lookedOf) ?? []);
  const [command] = commands;
  if (command === undefined) return [];
  const count = commands.length === 1 ? "1 run is" : `${String(commands.length)} runs are`;
  return [`${count} not supervised: ${command} (a library's run: start its program)`];
}
