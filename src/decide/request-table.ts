import type { RequestKind } from "../model/requests.ts";
import { RUN_STATUSES, isEnded, type RunStatus } from "../model/run-status.ts";

/** In which states each request is taken; everywhere else it is refused and these states are named. */
export const ALLOWED_IN: Readonly<Record<RequestKind, readonly RunStatus[]>> = {
  pause: ["queued", "running", "pausing", "awaiting_approval"],
  resume: ["paused"],
  cancel: RUN_STATUSES.filter((status) => !isEnded(status)),
  retry: ["paused", "blocked", "failed", "cancelled"],
  reopen: ["completed", "failed", "cancelled"],
  signal: RUN_STATUSES.filter((status) => !isEnded(status)),
  settle: ["blocked"],
  budget: RUN_STATUSES.filter((status) => !isEnded(status)),
};

export const isAllowed = (kind: RequestKind, status: RunStatus): boolean => ALLOWED_IN[kind].includes(status);
