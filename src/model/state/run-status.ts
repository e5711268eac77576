import { z } from "zod";
import { Fault } from "../fault.ts";

export const RUN_STATUSES = [
  "queued",
  "running",
  "pausing",
  "paused",
  "awaiting_approval",
  "blocked",
  "completed",
  "failed",
  "cancelled",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Why a run stopped: every stop has one. */
export const STOP_KINDS = [
  "operator",
  "shutdown",
  "supervisor_restart",
  "stale",
  "guardrail",
  "budget",
  "timeout",
  "panic",
] as const;
export type StopKind = (typeof STOP_KINDS)[number];
export const stopKindSchema = z.enum(STOP_KINDS);

export const ENDED_STATUSES: readonly RunStatus[] = ["completed", "failed", "cancelled"];
export const isEnded = (status: RunStatus): boolean => ENDED_STATUSES.includes(status);

/** In these an owner has something to do without being asked. */
const WORKING_STATUSES: readonly RunStatus[] = ["queued", "running", "pausing"];
export const isWorking = (status: RunStatus): boolean => WORKING_STATUSES.includes(status);

/** Only what is over may leave the store. */
export const notEnded = (run: string, status: RunStatus): Fault =>
  new Fault(
    "refused",
    `${run} is ${status}, and only runs that are completed, failed or cancelled are archived; \`holdfast cancel ${run}\` ends it`,
    { details: { run, status, allowedIn: ENDED_STATUSES } },
  );
