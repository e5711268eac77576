import { z } from "zod";
import { idSchema } from "../ids.ts";

/** Derived, not drawn: the same decision taken again names the same proposal. */
export const proposalId = (run: string, nth: number): string => `${run}.p${String(nth)}`;

/** The run a proposal belongs to; null where the text is no such id. */
export const runOfProposal = (id: string): string | null => /^(.+)\.p\d+$/.exec(id)?.[1] ?? null;

/** Of the files the first are named. */
export const PROPOSED_FILES_MAX = 100;

const proposedFileSchema = z.object({
  path: z.string(),
  kind: z.enum(["added", "modified", "removed", "mode", "type"]),
});

/** A copy of the run's tree, for agents that may not write in the tree itself. */
export const copyFactsSchema = z.object({
  tree: idSchema,
  /** The snapshot that the copy was made of, and the commit that the tree was on. */
  base: z.string(),
  commit: z.string().nullable(),
});
export type CopyFacts = z.infer<typeof copyFactsSchema>;

/** How a copy differs from what it was made of. */
export const proposedFactsSchema = z.object({
  snapshot: z.string(),
  /** SHA-256 of the patch, by which it is kept. */
  digest: idSchema,
  bytes: z.number().int(),
  files: z.array(proposedFileSchema).max(PROPOSED_FILES_MAX),
  count: z.number().int(),
});
export type ProposedFacts = z.infer<typeof proposedFactsSchema>;

/** What was kept of the changes of a step that only proposes, or why they cannot be proposed. */
export type KeptProposal =
  ({ readonly kind: "proposed" } & ProposedFacts) | { readonly kind: "unproposed"; readonly why: string };

export const PROPOSAL_STATUSES = ["open", "applied", "rejected", "withdrawn"] as const;

export interface ProposalState extends ProposedFacts {
  readonly id: string;
  readonly step: string;
  readonly attempt: string;
  readonly base: string;
  readonly commit: string | null;
  readonly at: number;
  status: (typeof PROPOSAL_STATUSES)[number];
  /** Why it could not be applied when somebody last asked. */
  refused: { readonly cause: "conflict" | "failed"; readonly files: readonly string[] } | null;
}

/** The part of a run's state that concerns proposals. */
export interface ProposalsState {
  /** By step: where its agent works until what it proposes is settled. */
  copies: Record<string, CopyFacts>;
  /** Copies ever made, for the name of the next. */
  copied: number;
  /** Copies that nobody needs any more. */
  dropping: string[];
  /** All that were ever made, by id. */
  made: Record<string, ProposalState>;
  /** Snapshots that were taken for proposals, each by its key in the store of its project. */
  snapshots: { readonly project: string; readonly key: string }[];
  /** The one that somebody wants applied. */
  wanted: { readonly proposal: string; readonly by: string } | null;
}

export const noProposals = (): ProposalsState => ({
  copies: {},
  copied: 0,
  dropping: [],
  made: {},
  snapshots: [],
  wanted: null,
});

export const openProposal = ({ made }: ProposalsState, step: string): ProposalState | undefined =>
  Object.values(made).find((one) => one.step === step && one.status === "open");

/** Whether the last thing that the step proposed was not taken. */
export const isDoneWithout = ({ made }: ProposalsState, step: string): boolean =>
  Object.values(made).findLast((one) => one.step === step)?.status === "rejected";
