import { enFile } from "./en-file.ts";
import { enFrame } from "./en-frame.ts";
import { enInbox } from "./en-inbox.ts";
import { enMissions } from "./en-missions.ts";
import { enOverview } from "./en-overview.ts";
import { enRuns } from "./en-runs.ts";
import { enStore } from "./en-store.ts";
import { enRun } from "./en-run.ts";
import { enSessions } from "./en-sessions.ts";
import { enVerbs } from "./en-verbs.ts";

/** Every text of the pages: a file of this folder for each area, put together here. */
export const en = {
  ...enFile,
  ...enFrame,
  ...enVerbs,
  ...enOverview,
  ...enRuns,
  ...enInbox,
  ...enStore,
  ...enSessions,
  ...enMissions,
  ...enRun,
} as const;
