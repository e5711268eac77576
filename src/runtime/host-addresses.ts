import { hostKey, type ProcessIdentity } from "../model/world.ts";

/** Where a host's supervisor gets its mail, and the lease under which there is only one. */
export const supervisorAddress = (self: ProcessIdentity): string => `supervisor:${hostKey(self)}`;

/** The same for the sibling that watches it. */
export const watchdogAddress = (self: ProcessIdentity): string => `watchdog:${hostKey(self)}`;
