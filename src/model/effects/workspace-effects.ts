import { z } from "zod";
import { idSchema } from "../ids.ts";
import { movedFilesSchema, provedTreeSchema } from "../state/bound-tree.ts";
import { evidenceSchema } from "./evidence.ts";
import { copyFactsSchema, proposedFactsSchema } from "../requests/proposal.ts";

/** What is done about commits that a run was begun on and the user has dropped since. */
export const DROPPED = ["bring", "leave"] as const;

/** The commands of a workspace: once before the work, before each attempt, and once after the work. */
export const WORKSPACE_PARTS = ["setup", "run", "teardown"] as const;
export type WorkspacePart = (typeof WORKSPACE_PARTS)[number];

export const portsSchema = z.object({ first: z.number().int(), count: z.number().int() });

export const authorSchema = z.object({ name: z.string(), email: z.string() });

/** A worktree as it was made. */
export const worktreeFactsSchema = z.object({
  /** The folder of the user's repository. */
  project: z.string(),
  tree: idSchema,
  /** Where agents work: the tree, or the folder in it that the run was asked for. */
  cwd: z.string(),
  branch: z.string(),
  /** The commit that it started from. */
  from: z.string(),
  ports: portsSchema.nullable(),
});
export type WorktreeFacts = z.infer<typeof worktreeFactsSchema>;

/** What the runtime is to do with the place that a run works in; of one run at most one at a time. */
export const WORKSPACE_EFFECTS = [
  () =>
    z.object({
      kind: z.literal("CreateWorktree"),
      /** The folder that the run was asked for. */
      project: z.string(),
      /** Where worktrees stand; a folder of Holdfast's own where left out. */
      folder: z.string().optional(),
      branch: z.string(),
      /** The branch is the run's: where it exists, the worktree goes on from where it stands. */
      goOn: z.boolean().optional(),
      /** The step that it is for, what its folder is called, and what its branch begins at; where left out, the run's. */
      step: idSchema.optional(),
      name: idSchema.optional(),
      from: z.string().optional(),
      ports: z.object({ from: z.number().int(), count: z.number().int() }),
    }),
  /** Takes the tree for this run, so that no other run writes there. */
  () =>
    z.object({
      kind: z.literal("HoldTree"),
      tree: idSchema,
      /** Whether to wait until it is free, or to say at once who has it. */
      wait: z.boolean(),
    }),
  () => z.object({ kind: z.literal("FreeTree"), tree: idSchema, epoch: z.number().int() }),
  () =>
    z.object({
      kind: z.literal("RunInTree"),
      part: z.enum(WORKSPACE_PARTS),
      /** The worktree of a step; the run's where left out. */
      tree: idSchema.optional(),
      command: z.string(),
      cwd: z.string(),
      env: z.record(z.string(), z.string()),
      limitMs: z.number().int(),
      outputBytesMax: z.number().int(),
    }),
  /** Copies what a fresh worktree lacks: what the user has not committed, and paths that git ignores. */
  () =>
    z.object({
      kind: z.literal("CarryFiles"),
      project: z.string(),
      tree: idSchema,
      /** The commit that the worktree began at; absent where nothing uncommitted is carried. */
      onto: z.string().optional(),
      /** What is not committed is only named: with a worktree per attempt all begin from commits. */
      nameOnly: z.literal(true).optional(),
      /** Installed packages, as far as they are found, where left out. */
      paths: z.array(z.string()).optional(),
      at: z.number(),
    }),
  /** Removes a worktree, if all of it is in a verified snapshot. */
  () =>
    z.object({
      kind: z.literal("RemoveWorktree"),
      project: z.string(),
      tree: idSchema,
      at: z.number(),
    }),
  /** Commits what was changed between two snapshots, or the files named, onto the branch that is expected there. */
  () =>
    z.object({
      kind: z.literal("CommitWork"),
      project: z.string(),
      tree: idSchema,
      base: z.string().nullable(),
      snapshot: z.string(),
      files: z.array(z.string()).optional(),
      message: z.string(),
      author: authorSchema,
      expected: z.object({ commit: z.string().nullable(), branch: z.string() }),
      tag: z.string().optional(),
      /** What the evidence of the step speaks of: anything else is not committed. */
      proved: provedTreeSchema.optional(),
      /** No agent works in the tree, which is the run's own. */
      alone: z.literal(true).optional(),
      at: z.number(),
    }),
  /** Takes a commit into the branch that the user's own tree is on. */
  () =>
    z.object({
      kind: z.literal("AcceptWork"),
      project: z.string(),
      commit: z.string(),
      branch: z.string(),
      /** What the run was begun on, and what is done about commits below that which the user has dropped since. */
      base: z.string().optional(),
      dropped: z.enum(DROPPED).optional(),
      /** The run's tree, in which a person merges what others have changed too. */
      mergeIn: z.string().optional(),
      message: z.string(),
      author: authorSchema,
      at: z.number(),
    }),
  /** Commits what a step has made in its own worktree, and takes that into the run's branch. */
  () =>
    z.object({
      kind: z.literal("JoinWork"),
      step: idSchema,
      attempt: idSchema,
      project: z.string(),
      tree: idSchema,
      /** The run's tree. */
      into: z.string(),
      base: z.string().nullable(),
      message: z.string(),
      /** Of the merge, where one is needed. */
      merge: z.string(),
      author: authorSchema,
      tag: z.string().optional(),
      proved: provedTreeSchema.optional(),
      at: z.number(),
    }),
  /** Copies the tree for the agent of a step that only proposes. */
  () =>
    z.object({
      kind: z.literal("CopyTree"),
      step: idSchema,
      project: z.string(),
      tree: idSchema,
      name: idSchema,
      at: z.number(),
    }),
  /** Keeps what was changed in a copy as a patch. */
  () =>
    z.object({
      kind: z.literal("KeepProposal"),
      step: idSchema,
      attempt: idSchema,
      project: z.string(),
      copy: z.string(),
      base: z.string(),
      rules: z.array(z.string()),
      proved: provedTreeSchema.optional(),
      at: z.number(),
    }),
  /** Brings a proposal into the run's tree, if the files that it changes are there as it found them. */
  () =>
    z.object({
      kind: z.literal("ApplyProposal"),
      proposal: idSchema,
      project: z.string(),
      tree: idSchema,
      base: z.string(),
      snapshot: z.string(),
      at: z.number(),
    }),
  () => z.object({ kind: z.literal("DropCopy"), project: z.string(), tree: idSchema }),
] as const;

/** Of the files the first are named. */
const FILES_NAMED_MAX = 100;
const filesSchema = z.array(z.string()).max(FILES_NAMED_MAX);

export const committedFactsSchema = z.object({
  /** Where the branch stands now; the same as before where nothing differed. */
  commit: z.string(),
  branch: z.string(),
  files: filesSchema,
  count: z.number().int(),
  tag: z.string().optional(),
  /** Folders that are repositories of their own: what was changed in them is in no commit of the run. */
  inner: filesSchema.optional(),
});

export const acceptedFactsSchema = z.object({
  commit: z.string(),
  /** The user's branch. */
  into: z.string(),
  how: z.enum(["fast_forward", "merge", "already"]),
  files: filesSchema,
  count: z.number().int(),
  /** Files of the user's that were still as they were carried into the run's tree: the ref holds them as they were. */
  replaced: z.object({ ref: z.string(), files: filesSchema, count: z.number().int() }).optional(),
});

export const unacceptedFactsSchema = z.object({
  /** `dirty`: the user's own changes are in the way. `conflict`: both sides changed the same. */
  /** `dropped`: the work was begun on commits that the user has dropped. `merging`: a person is to merge. */
  cause: z.enum(["conflict", "dirty", "moved", "refused", "dropped", "merging"]),
  files: filesSchema,
  why: z.string(),
});

export const joinedFactsSchema = z.object({
  /** Where the run's branch stands now. */
  commit: z.string(),
  /** What the step has committed on its own branch. */
  work: z.string(),
  branch: z.string(),
  into: z.string(),
  how: z.enum(["fast_forward", "merge", "already"]),
  files: filesSchema,
  count: z.number().int(),
  /** Of the run's tree as it is now. */
  snapshot: z.string(),
});

export const unjoinedFactsSchema = z.object({
  ...unacceptedFactsSchema.shape,
  /** What the step has committed on its own branch; null where that is what could not be done. */
  work: z.string().nullable(),
});

export const carriedFactsSchema = z.object({
  /** What the user had changed and not committed. */
  files: filesSchema,
  count: z.number().int(),
  /** Paths that git ignores, and were copied. */
  paths: z.array(z.string()),
  /** What was not copied, and why. */
  left: z.array(z.object({ path: z.string(), why: z.string() })),
  /** Committed files that the user has changed since, and that were not carried: a person is asked first. */
  uncarried: filesSchema.optional(),
  /** The command that installs what lock files name. */
  install: z.string().optional(),
});

/** What became of one of these. */
export const workspaceFactsSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("created"), worktree: worktreeFactsSchema }),
  z.object({ kind: z.literal("held"), epoch: z.number().int() }),
  z.object({ kind: z.literal("busy"), by: z.string() }),
  z.object({ kind: z.literal("freed") }),
  z.object({ kind: z.literal("ran"), evidence: evidenceSchema }),
  z.object({ kind: z.literal("carried"), ...carriedFactsSchema.shape }),
  z.object({ kind: z.literal("removed"), snapshot: z.string().nullable() }),
  z.object({ kind: z.literal("kept"), snapshot: z.string(), why: z.string() }),
  z.object({ kind: z.literal("committed"), ...committedFactsSchema.shape }),
  z.object({ kind: z.literal("uncommitted"), cause: z.enum(["moved", "refused"]), why: z.string() }),
  /** The files are not those that the evidence speaks of: nothing was committed, joined or proposed. */
  z.object({ kind: z.literal("unproved"), ...movedFilesSchema.shape }),
  z.object({ kind: z.literal("accepted"), ...acceptedFactsSchema.shape }),
  z.object({ kind: z.literal("unaccepted"), ...unacceptedFactsSchema.shape }),
  z.object({ kind: z.literal("joined"), ...joinedFactsSchema.shape }),
  z.object({ kind: z.literal("unjoined"), ...unjoinedFactsSchema.shape }),
  z.object({ kind: z.literal("copied"), ...copyFactsSchema.shape }),
  z.object({ kind: z.literal("proposed"), ...proposedFactsSchema.shape }),
  /** It cannot be proposed as it is; the agent is informed. */
  z.object({ kind: z.literal("unproposed"), why: z.string() }),
  z.object({ kind: z.literal("applied"), before: z.string(), files: filesSchema, count: z.number().int() }),
  z.object({ kind: z.literal("unapplied"), files: filesSchema, count: z.number().int() }),
  z.object({ kind: z.literal("dropped") }),
]);
export type WorkspaceFacts = z.infer<typeof workspaceFactsSchema>;

/** Worktrees that somebody had deleted, wholly or only their branch, and that were made again first. */
export const remadeSchema = z.array(z.object({ tree: idSchema, branch: z.boolean(), folder: z.boolean() }));
export type Remade = z.infer<typeof remadeSchema>;
