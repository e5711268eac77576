import { exportRun } from "./journal/export-lines.ts";
import { openExport } from "./journal/read-export.ts";
import { writeWholeFile } from "./journal/archive-file.ts";

/** Runs as files, which need no store to be read. */
export const exportedRuns = { lines: exportRun, write: writeWholeFile, open: openExport } as const;
export type ExportedRuns = typeof exportedRuns;
