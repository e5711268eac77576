import { z } from "zod";

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
