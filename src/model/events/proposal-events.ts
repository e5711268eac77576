import { z } from "zod";
import { idSchema } from "../ids.ts";
import { event } from "./define-event.ts";
import { copyFactsSchema, proposedFactsSchema } from "../requests/proposal.ts";

const actor = z.string();
const files = z.array(z.string());

/** Events about what agents propose that may not write themselves. */
export const PROPOSAL_EVENTS = {
  CopyMade: event(
    "The agent of a step that only proposes works in this copy of the tree, and not in the tree itself.",
    () => z.object({ step: idSchema, ...copyFactsSchema.shape }),
  ),
  CopyDropped: event("A copy that nobody needs any more was removed.", () => z.object({ tree: idSchema })),
  ProposalMade: event(
    "What an agent changed in its copy is kept as a patch, and waits to be applied or rejected.",
    () =>
      z.object({
        proposal: idSchema,
        step: idSchema,
        attempt: idSchema,
        base: z.string(),
        commit: z.string().nullable(),
        ...proposedFactsSchema.shape,
      }),
  ),
  ProposalApplyWanted: event("Somebody wants a proposal applied to the run's tree.", () =>
    z.object({ proposal: idSchema, by: actor }),
  ),
  ProposalApplied: event(
    "A proposal is in the run's tree; what it has overwritten is in the snapshot `before`.",
    () =>
      z.object({
        proposal: idSchema,
        step: idSchema,
        before: z.string(),
        files,
        count: z.number().int(),
      }),
  ),
  ProposalApplyRefused: event("A proposal was not applied, and why; nothing was changed.", () =>
    z.object({
      proposal: idSchema,
      step: idSchema,
      cause: z.enum(["conflict", "failed"]),
      files,
      why: z.string(),
    }),
  ),
  ProposalRejected: event(
    "A proposal is not taken. Its step is worked again with the note, or is done without it (`drop`).",
    () =>
      z.object({
        proposal: idSchema,
        step: idSchema,
        by: actor,
        note: z.string(),
        drop: z.boolean().optional(),
      }),
  ),
};
