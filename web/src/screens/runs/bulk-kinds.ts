import type { ListedRun } from "../../data/documents.ts";

/** What can be asked of many runs at once, and in which statuses it makes sense. */
const FITS = {
  retry: ["blocked", "paused", "failed", "cancelled"],
  resume: ["paused", "pausing"],
  pause: ["queued", "running"],
  cancel: ["queued", "running", "pausing", "paused", "awaiting_approval", "blocked"],
} as const;
export type BulkKind = keyof typeof FITS;

type Standing = Pick<ListedRun, "run" | "status">;

export const fittingRuns = <Run extends Standing>(kind: BulkKind, runs: readonly Run[]): readonly Run[] =>
  runs.filter(({ status }) => (FITS[kind] as readonly string[]).includes(status));

/** What can be asked of at least one of them. */
export const bulkKinds = (runs: readonly Standing[]): readonly BulkKind[] =>
  (Object.keys(FITS) as BulkKind[]).filter((kind) => fittingRuns(kind, runs).length > 0);
