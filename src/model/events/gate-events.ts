import { z } from "zod";
import { idSchema } from "../ids.ts";
import { autoFindingsSchema } from "../auto-approval.ts";
import { event } from "./define-event.ts";
import { TIMEOUT_ENDS } from "../flow/flow.ts";
import { EXPIRY_ENDS } from "../flow/gate.ts";
import { PROOFS } from "../requests/principal.ts";
import { REALITY_VERDICTS } from "../requests/reality.ts";

/** Who a decision came from. */
const actor = z.string();

/** A gate by its key in the run: `phase:NAME`, `plan` or `completion`. */
const gate = idSchema;

/** Events about what stands between phases. */
export const GATE_EVENTS = {
  GateChecked: event("The checks of a gate did not pass; `rework` are the steps that are worked again.", () =>
    z.object({
      gate,
      verdict: z.enum(["fail", "unknown"]),
      feedback: z.string(),
      rework: z.array(z.string()),
    }),
  ),
  GateAsked: event("Somebody is asked to approve exactly the files of that digest.", () =>
    z.object({
      gate,
      digest: idSchema,
      snapshot: z.string(),
      again: z.boolean().optional(),
      /** Why it is not approved by itself, where it could have been. */
      policy: autoFindingsSchema.optional(),
    }),
  ),
  GateApproved: event(
    "The files of that digest are approved; the gate opens if they are still the same and its action succeeds.",
    () =>
      z.object({
        gate,
        digest: idSchema,
        by: actor,
        /** How that was proved; absent where a policy or time approved, and in events of earlier versions. */
        proof: z.enum(PROOFS).optional(),
        note: z.string().optional(),
        /** What the gate's conditions found, where they approved. */
        policy: autoFindingsSchema.optional(),
      }),
  ),
  GateRejected: event("What the gate is about was sent back to the steps named.", () =>
    z.object({ gate, by: actor, note: z.string(), rework: z.array(z.string()) }),
  ),
  GateExpired: event("Nobody has answered in time; `then` is what follows.", () =>
    z.object({ gate, then: z.enum(EXPIRY_ENDS), nth: z.number().int() }),
  ),
  PhaseTimedOut: event("The time of a phase is used up; `then` is what follows.", () =>
    z.object({
      phase: z.string(),
      then: z.enum(TIMEOUT_ENDS),
      usedMs: z.number(),
      limitMs: z.number().int(),
    }),
  ),
  GatePassed: event("The gate is open; what waits for it may start.", () =>
    z.object({ gate, by: actor, digest: idSchema.optional() }),
  ),
  RealityChecked: event(
    "What Holdfast says of the run at its end; `reopened` are the steps whose evidence does not hold.",
    () =>
      z.object({
        verdict: z.enum(REALITY_VERDICTS),
        why: z.string(),
        reopened: z.array(z.string()),
        /** Of the files that it is about; absent where they were not looked at. */
        digest: idSchema.optional(),
      }),
  ),
} as const;
