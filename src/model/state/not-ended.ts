import { Fault } from "../fault.ts";
import { ENDED_STATUSES, type RunStatus } from "./run-status.ts";

/** Only what is over may leave the store. */
export const notEnded = (run: string, status: RunStatus): Fault =>
  new Fault(
    "refused",
    `${run} is ${status}, and only runs that are completed, failed or cancelled are archived; \`holdfast cancel ${run}\` ends it`,
    { details: { run, status, allowedIn: ENDED_STATUSES } },
  );
