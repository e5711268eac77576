import type { System } from "../main.ts";
import { isoTime } from "../model/iso-time.ts";
import { printableLine } from "../model/printable.ts";
import { tableLines } from "./table.ts";

type Listing = Awaited<ReturnType<System["rooms"]["journal"]["runs"]>>[number];

const GOAL_CHARS_MAX = 60;

/** Runs as rows, in the order given. */
export const runsTable = (runs: readonly Listing[]): string[] =>
  tableLines([
    ["RUN", "STATUS", "UPDATED", "GOAL"],
    ...runs.map(({ run, status, updatedAt, goal }) => [
      run,
      status,
      isoTime(updatedAt).slice(0, 19),
      printableLine(goal, GOAL_CHARS_MAX),
    ]),
  ]);
