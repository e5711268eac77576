import { z } from "zod";
import { autoRuleSchema, type Weighed } from "../auto-approval.ts";
import { checkSchema } from "./flow-parts.ts";
import type { BoundState } from "../state/bound-tree.ts";
import type { Evidence } from "../effects/evidence.ts";
import { nameSchema } from "../ids.ts";
import type { Proof } from "../requests/principal.ts";

/** What becomes of an approval that nobody gives in time. */
export const EXPIRY_ENDS = ["remind", "escalate", "cancel", "go_on"] as const;

/** What stands between a phase and the next. */
export const gateSchema = z.strictObject({
  name: nameSchema,
  kind: z
    .enum(["approval", "evidence"])
    .describe("evidence: its checks pass; approval: somebody says yes, after its checks where it has any"),
  checks: z.array(checkSchema).max(32).optional().describe("what Holdfast runs over the work of the phase"),
  approvers: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(50)
    .optional()
    .describe("the only users whose approval counts"),
  expiry: z
    .strictObject({
      afterMs: z.number().int().min(1).describe("time to answer"),
      then: z.enum(EXPIRY_ENDS).describe("what becomes of it then"),
    })
    .optional(),
  action: z
    .strictObject({
      run: z.string().min(1).describe("a shell command that is run on approval, before the gate opens"),
      limitMs: z.number().int().min(1).optional().describe("time it may take; default: 15 minutes"),
    })
    .optional(),
  credentialed: z
    .boolean()
    .optional()
    .describe("only a person opens it, with a passphrase or the run's token: no policy, no expiry, no agent"),
  auto: z
    .union([z.boolean(), autoRuleSchema])
    .optional()
    .describe("true: it is approved by itself, on record; or the conditions under which it is"),
  rework: z
    .array(nameSchema)
    .min(1)
    .max(100)
    .optional()
    .describe("the steps that are redone when it is refused; default: the last ones of the phase"),
});
export type Gate = z.infer<typeof gateSchema>;

/** The files that a gate is about, at one instant. */
export interface GateLook {
  readonly digest: string;
  readonly snapshot: string;
  /** Files that differ from those that were asked about. */
  readonly changed: number;
  /** What was changed since the gate before, where the gate's conditions are about that. */
  readonly work?: Weighed;
}

/** How far a run is with one of its gates. A phase without a gate has one that opens by itself. */
export interface GateState {
  readonly name: string;
  readonly of: "phase" | "plan" | "completion";
  spec: Gate | null;
  /** What a plan would have run, for a person to allow. */
  commands?: readonly string[];
  /** The steps whose work it is about; empty for completion, which is about all. */
  readonly members: string[];
  /** The steps that wait for it. */
  readonly followers: string[];
  /** The gate of the phase before, by its key. */
  readonly previous: string | null;
  /** How many of its steps are not done. */
  left: number;
  passed: boolean;
  /** What its checks have shown of the work as it is. */
  evidence: Evidence[];
  bound: BoundState;
  /** Commands run at it so far, for the key of the next. */
  runs: number;
  unknowns: number;
  checkFails: number;
  /** The last look at the files, as long as nothing was decided about it. */
  look: GateLook | null;
  asked: (GateLook & { readonly at: number }) | null;
  approval: {
    readonly digest: string;
    readonly by: string;
    readonly at: number;
    /** How the approver was proved; absent where nobody asked for it. */
    readonly proof?: Proof;
  } | null;
  /** The files were found as approved. */
  confirmed: boolean;
  /** What came of its action: null before it was run. */
  action: { readonly ok: boolean; readonly text: string } | null;
  expiries: number;
}

export const phaseGateKey = (phase: string): string => `phase:${phase}`;
export const phaseOfKey = (key: string): string => key.replace(/^phase:/, "");
export const PLAN_GATE = "plan";
/** The gate of a plan that names commands which nobody has allowed. */
export const commandsGateKey = (planner: string): string => `commands:${planner}`;
export const COMPLETION_GATE = "completion";
export const PLAN_STEPS: readonly string[] = ["plan", "planner"];
