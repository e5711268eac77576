import { hostKey, type ProcessIdentity } from "../../model/world.ts";

export const SUPERVISOR_PREFIX = "supervisor:";

/** Where a host's supervisor gets its mail, and the lease under which there is only one. */
export const supervisorAddress = (self: ProcessIdentity): string => `${SUPERVISOR_PREFIX}${hostKey(self)}`;

/** The same for the sibling that watches it. */
export const watchdogAddress = (self: ProcessIdentity): string => `watchdog:${hostKey(self)}`;
