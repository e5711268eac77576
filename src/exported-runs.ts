import { exportRun } from "./journal/export-run.ts";
import { openExport } from "./journal/read-export.ts";
import { writeWholeFile } from "./journal/whole-file.ts";

/** Runs as files, which need no store to be read. */
export const exportedRuns = { lines: exportRun, write: writeWholeFile, open: openExport } as const;
export type ExportedRuns = typeof exportedRuns;
