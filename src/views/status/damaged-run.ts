import { isoTime } from "../../model/text/iso-time.ts";

/** What the store's listing says of a run whose journal cannot be read; all but its name may be damaged too. */
export interface DamagedRun {
  readonly run: string;
  readonly goal?: string;
  readonly createdAt?: number;
  readonly updatedAt?: number;
}

const UNKNOWN = "unknown";

/** Nothing is made up: what is not listed is unknown. */
export const listedOf = ({ run, goal, createdAt, updatedAt }: DamagedRun) => ({
  run,
  goal: goal ?? UNKNOWN,
  createdAt: createdAt === undefined ? UNKNOWN : isoTime(createdAt),
  updatedAt: updatedAt === undefined ? UNKNOWN : isoTime(updatedAt),
});
