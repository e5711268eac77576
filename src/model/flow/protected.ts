import { OBEYED_BY_AGENTS } from "../agent/kinds/registry.ts";
import { z } from "zod";

/** One thing in a tree as it is trusted. What matches a rule and has no entry is trusted to be absent. */
const trustedEntrySchema = z.object({
  /** Relative to the tree, with `/`. */
  path: z.string(),
  kind: z.enum(["file", "folder", "link"]),
  mode: z.number().int(),
  /** Of a file its bytes, of a link where it leads. */
  digest: z.string().optional(),
  /** The bytes that are kept, where only a part of them is compared. */
  copy: z.string().optional(),
  /** Names that a file has. */
  names: z.number().int().optional(),
  /** Shows that something was rewritten although it reads the same: only compared for equality. */
  stamp: z.string().optional(),
});
export type TrustedEntry = z.infer<typeof trustedEntrySchema>;
export const trustedListSchema = z.array(trustedEntrySchema);

/** What was done to a protected file. */
const TAMPERINGS = [
  "edited",
  "mode",
  "replaced",
  "removed",
  "created",
  /** It has got another name, under which it could be written unseen. */
  "linked",
  /** It reads as before, and was written in between. */
  "rewritten",
] as const;

export const tamperingSchema = z.object({
  path: z.string(),
  act: z.enum(TAMPERINGS),
  /** Digest of the bytes that were found and are kept, where there were any. */
  found: z.string().optional(),
});
export type Tampering = z.infer<typeof tamperingSchema>;

/** What a look at the protected files has shown. */
export const guardReportSchema = z.object({
  /** Digest of the list of what is trusted from now on: at first what was found, later the same with other stamps. */
  trusted: z.string(),
  paths: z.number().int(),
  /** The first of them; `count` is how many there were. */
  findings: z.array(tamperingSchema),
  count: z.number().int(),
  /** Whether the tree is as trusted. */
  undone: z.boolean(),
  /** Why it is not, where it should be. */
  failure: z.string().optional(),
  /** A bound that was reached: what is beyond it is not protected. */
  limit: z.object({ what: z.string(), bound: z.number(), detail: z.string() }).optional(),
});
export type GuardReport = z.infer<typeof guardReportSchema>;

export const FINDINGS_SHOWN_MAX = 20;

/** How it is said that a repository is no longer what it was; a copy of it is kept. */
export const REPOSITORY_LOST = "is gone or damaged; a copy of it is kept";

export const isRepositoryLost = ({
  reason,
  detail,
}: {
  readonly reason: string;
  readonly detail: string;
}): boolean => reason === "protected_files" && detail.includes(REPOSITORY_LOST);

/** What is protected in the trees of a run with these settings. */
export const protectedRulesOf = (settings: {
  readonly usual?: boolean | undefined;
  readonly paths: readonly string[];
}): string[] => [...(settings.usual === true ? DEFAULT_RULES : []), ...settings.paths];

/** What git starts for every worktree of a repository: it lies in the folder of the repository itself. */
export const SHARED_GIT_RULES: readonly string[] = [
  ".git/config",
  ".git/config.worktree",
  ".git/hooks/**",
  ".git/info/attributes",
];

const everythingIn = (path: string): string => (path.endsWith("/") ? `${path}**` : path);

/**
 * What agents and git execute or obey without being asked, whether it exists yet or not. A program that may write
 * these may have commands run outside of its own session, now or by the next agent.
 *
 * Left out on purpose: `package.json`, build files and tests. Agents are asked to change them; the one that relies on
 * them as a gate names them under `protected.paths`.
 */
export const DEFAULT_RULES: readonly string[] = [
  // Rules that agents obey.
  "AGENTS.md",
  ...OBEYED_BY_AGENTS.flatMap(({ rules }) => rules),
  // Settings, hooks, servers and commands that agents start, but for what they write there themselves.
  ...OBEYED_BY_AGENTS.flatMap(({ settings, ownWrites }) => [
    ...settings.map(everythingIn),
    ...ownWrites.map((path) => `!${everythingIn(path)}`),
  ]),
  ".envrc",
  // What git starts. Of its configuration only what names programs or other files counts.
  ".git",
  ".git/config",
  ".git/config.worktree",
  ".git/hooks/**",
  ".git/info/attributes",
  // Holdfast itself: configuration, flows and gates.
  "holdfast.yaml",
  "holdfast.yml",
  "holdfast.json",
  "holdfast.ts",
  ".holdfast/**",
  "!.holdfast/status/**",
];
