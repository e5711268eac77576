import { z } from "zod";
import { AUTHORITIES } from "./flow-parts.ts";
import { agentSpecSchema, type AgentSpec } from "./flow.ts";

/** The files from which a run learned who is to work it, so that a change there is seen. */
export const runSourceSchema = z.object({
  /** The configuration, and those agents of the run that it binds. */
  config: z.string().optional(),
  agents: z.array(z.string()),
  /** The flow, and who works the steps that name nobody. */
  flow: z.string().optional(),
  agent: z.string().optional(),
  /** The repository whose files are obeyed only as they were trusted, and which of them are read again later. */
  trust: z
    .object({
      root: z.string(),
      cwd: z.string(),
      /** Files that are executed, from the root; they need not exist. */
      programs: z.array(z.string()),
      /** The same for checks, which are compared when they are run; absent in runs of earlier versions. */
      checks: z.array(z.string()).optional(),
      /** Whether agents of the run read configuration of their own in the tree. */
      agentConfig: z.boolean(),
    })
    .optional(),
});
/** How what was refused for want of trust is distinguished from other failures. */
export const NOT_TRUSTED = "not trusted as it is now: ";

/** Whether something is not done because files are not as they were trusted. */
export const lacksTrust = (text: string | undefined): boolean => text?.includes(NOT_TRUSTED) === true;

export type RunSource = z.infer<typeof runSourceSchema>;

/** What those files say now. */
export const bindingsSchema = z.object({
  agents: z.record(z.string(), agentSpecSchema),
  steps: z.record(z.string(), z.object({ agent: z.string(), authority: z.enum(AUTHORITIES) })),
});
export type Bindings = z.infer<typeof bindingsSchema>;

/** A step that was given out and would be given out otherwise now. */
export const bindingDriftSchema = z.object({
  step: z.string(),
  kind: z.enum(["rebinding", "authority"]),
  text: z.string(),
  /** The agent as the files name it, and how it is started now. */
  agent: z.string(),
  spec: agentSpecSchema,
  authority: z.enum(AUTHORITIES),
});
export type BindingDrift = z.infer<typeof bindingDriftSchema>;

/** Who works a step from now on: `agent` is its name in the run, `named` in the files. */
export const reboundSchema = z.object({
  step: z.string(),
  agent: z.string(),
  named: z.string(),
  spec: agentSpecSchema,
  authority: z.enum(AUTHORITIES),
});
export type Rebound = z.infer<typeof reboundSchema>;

export interface BindingState {
  readonly source: RunSource | null;
  looks: number;
  lookedAt: number;
  /** What the last look has shown, as long as nothing was decided about it. */
  report: BindingDrift[] | null;
  /** Reported, and not settled. */
  found: BindingDrift[];
  /** Agents of the run that the files name otherwise. */
  named: Record<string, string>;
  /** Why the files could not be read at the last look; absent: they could. */
  unread?: string | undefined;
  /** What was not run because files are not as they were trusted; absent once a person is asked about it. */
  untrusted?: string | undefined;
}

/** What is about to be executed or obeyed, and where. */
export type Started =
  /** An agent, a hook or a command for a worktree. */
  | { readonly kind: "in tree"; readonly cwd: string }
  /** An agent in a folder of Holdfast's own: only its program is the repository's. */
  | { readonly kind: "apart" }
  /** A check or an action of a gate: the files that its command names. */
  | { readonly kind: "command"; readonly cwd: string; readonly command: string };

export const newBinding = (source: RunSource | undefined, at: number): BindingState => ({
  source: source ?? null,
  looks: 0,
  lookedAt: at,
  report: null,
  found: [],
  named: {},
});

/** The keys by which two ways of starting an agent differ. */
export function specDifferences(one: AgentSpec, other: AgentSpec): string[] {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof AgentSpec>;
  return [...keys].filter((key) => JSON.stringify(one[key]) !== JSON.stringify(other[key])).sort();
}
