import { z } from "zod";
import { idSchema } from "../ids.ts";

/** Every named state in which a run waits for somebody; each has a way out (see `decide/recovery/recovery.ts`). */
export const BLOCKED_REASONS = [
  "approval_transition",
  "approval_completion",
  "needs_human",
  "dispatch_error",
  "operator_escalation",
  "retries_exhausted",
  "hook_block",
  "hook_tamper",
  "conflict_loop",
  "budget_exhausted",
  "policy_escalation",
  "timeout",
  "gate_action_failed",
  "operator_commit_refused",
  "workspace_dirty",
  "checkpoint_pending",
  "drift",
  "in_doubt",
  "diverged",
  "stuck",
  "crash_loop",
  "rate_limited",
  "protected_files",
  "journal_damaged",
  "host_lost",
  "quarantined",
  "disk_full",
  "unknown",
] as const;
export type BlockedReason = (typeof BLOCKED_REASONS)[number];

/** A run that waits for a yes is not stuck: it has a state of its own. */
export const isApproval = (reason: BlockedReason): boolean =>
  reason === "approval_transition" || reason === "approval_completion";

/** Deeper causes that a plain reason would hide. */
export const GUIDANCE_CODES = [
  "invalid_binding",
  "review_only_dead_end",
  "proposal_apply_required",
  "proof_not_strong_enough",
] as const;
export type GuidanceCode = (typeof GUIDANCE_CODES)[number];

export const blockedSchema = z.object({
  reason: z.enum(BLOCKED_REASONS),
  /** What was seen, in one sentence for a person. */
  detail: z.string(),
  step: idSchema.optional(),
  /** The last event that still fits, where a program has diverged from its journal. */
  seq: z.number().int().optional(),
  attemptKept: z.boolean(),
  guidance: z.array(z.enum(GUIDANCE_CODES)).default([]),
  /** The gate that it is about, and the digest of what is asked about. */
  gate: idSchema.optional(),
  digest: idSchema.optional(),
  /** Who has to act, where that is not the one whom the reason names. */
  owner: z.enum(["human", "operator"]).optional(),
  /** The permission that an agent waits for, and of what. */
  ask: z.object({ attempt: idSchema, askId: idSchema, what: z.string().optional() }).optional(),
});
export type Blocked = z.infer<typeof blockedSchema>;

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
