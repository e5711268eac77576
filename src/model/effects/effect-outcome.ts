import { z } from "zod";
import { outputsReportSchema } from "./artifact.ts";
import { restoredFactsSchema, snapshotFactsSchema } from "./checkpoint.ts";
import { evidenceSchema, reviewReportSchema } from "./evidence.ts";
import { fetchedFactsSchema, uploadedFactsSchema } from "./move-effects.ts";
import { remadeSchema, workspaceFactsSchema } from "./workspace-effects.ts";
import { bindingsSchema } from "../flow/bindings.ts";
import { hookReportSchema } from "../flow/hook.ts";
import { guardReportSchema } from "../flow/protected.ts";
import { sharedResourceNewsSchema } from "../host/shared-resource.ts";
import { sealReportSchema } from "../requests/seal.ts";
import { sandboxFactsSchema } from "../settings/sandbox-settings.ts";
import { leftoverSchema, movedFilesSchema, seenTreeSchema } from "../state/bound-tree.ts";
import { headFactsSchema } from "../state/drift.ts";
import { overlapFactsSchema } from "../state/overlap.ts";

/** What an agent that was asked about a stuck one may answer; anything else is no answer. */
export const triageAnswerSchema = z.strictObject({
  verdict: z.enum(["continue", "restart", "stop"]),
  why: z.string().max(2_000),
});

export const TRIAGE_VERDICTS = ["continue", "restart", "stop", "none"] as const;
type TriageVerdict = (typeof TRIAGE_VERDICTS)[number];

/** What came of asking, and what it cost. */
const triageReportSchema = z.object({
  verdict: z.enum(TRIAGE_VERDICTS),
  why: z.string(),
  usd: z.number().nonnegative(),
  tokens: z.number().nonnegative(),
});
export type TriageReport = z.infer<typeof triageReportSchema>;

/** How far asking has come in one trouble: it is done once. */
export interface TriageState {
  readonly askedAt: number;
  /** Null while the answer is awaited. */
  readonly verdict: TriageVerdict | null;
  readonly at: number;
}

const askedSpentSchema = z.object({ usd: z.number(), tokens: z.number() });

export const effectOutcomeSchema = z.lazy(() =>
  z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("done"),
      detail: z.string().optional(),
      sandbox: sandboxFactsSchema.optional(),
      evidence: evidenceSchema.optional(),
      guard: guardReportSchema.optional(),
      outputs: outputsReportSchema.optional(),
      head: headFactsSchema.optional(),
      overlap: overlapFactsSchema.optional(),
      bindings: bindingsSchema.optional(),
      snapshot: snapshotFactsSchema.optional(),
      restored: restoredFactsSchema.optional(),
      place: workspaceFactsSchema.optional(),
      uploaded: uploadedFactsSchema.optional(),
      fetched: fetchedFactsSchema.optional(),
      news: sharedResourceNewsSchema.optional(),
      triage: triageReportSchema.optional(),
      review: reviewReportSchema.optional(),
      hook: hookReportSchema.optional(),
      used: askedSpentSchema.optional(),
      /** How the real repository differs from before an agent began that may not write there. */
      seal: sealReportSchema.optional(),
      /** The tree that evidence was taken of, what of it moved meanwhile, and which processes were ended first. */
      seen: seenTreeSchema.optional(),
      moved: movedFilesSchema.optional(),
      leftovers: z.array(leftoverSchema).optional(),
      remade: remadeSchema.optional(),
      /** The refs that keep what an agent had put on the user's stash. */
      stashed: z.array(z.string()).optional(),
    }),
    z.object({
      kind: z.literal("failed"),
      text: z.string(),
      terminal: z.boolean(),
      retryAfterMs: z.number().optional(),
      used: askedSpentSchema.optional(),
      seal: sealReportSchema.optional(),
      remade: remadeSchema.optional(),
    }),
    z.object({ kind: z.literal("in_doubt"), text: z.string() }),
  ]),
);
export type EffectOutcome = z.infer<typeof effectOutcomeSchema>;
