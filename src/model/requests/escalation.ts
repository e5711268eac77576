import { z } from "zod";
import { idSchema } from "../ids.ts";
import { BLOCKED_REASONS } from "./blocked.ts";

/** How an escalation came to be settled. */
export const ESCALATION_ENDS = [
  /** By `unblock`. */
  "unblocked",
  /** The run went on by another command: `retry`, `approve`, `set` … */
  "went_on",
  /** The run stopped for good, or was stopped by somebody. */
  "stopped",
] as const;

/** A question to a person: one record per cause, open until it is settled. */
export const escalationSchema = z.object({
  id: idSchema,
  /** The same cause is never raised twice while it stands. */
  cause: z.string(),
  reason: z.enum(BLOCKED_REASONS),
  owner: z.enum(["human", "operator", "holdfast"]),
  detail: z.string(),
  step: idSchema.optional(),
});
export type Escalation = z.infer<typeof escalationSchema>;

/** Derived, not drawn: the same decision taken again names the same escalation. */
export const escalationId = (run: string, nth: number): string => `${run}.e${String(nth)}`;

/** The run an escalation belongs to; null where the text is no such id. */
export const runOfEscalation = (id: string): string | null => /^(.+)\.e\d+$/.exec(id)?.[1] ?? null;
