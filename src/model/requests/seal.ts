import { z } from "zod";
import { idSchema } from "../ids.ts";
import { movedFilesSchema } from "../state/bound-tree.ts";

/** What is recorded of the real repository before an agent begins that may not write there (G16). */
export const sealOrderSchema = z.object({
  key: idSchema,
  project: z.string(),
  tree: idSchema,
  /** When it was decided (I5). */
  at: z.number(),
  /** Whether files of the real tree are compared too: not where the agent works in it, or others write beside it. */
  files: z.boolean(),
});
export type SealOrder = z.infer<typeof sealOrderSchema>;

/** Of an agent that may not write in the real tree: what is recorded of that before it begins. */
export const sealShape = { seal: sealOrderSchema.optional() };

/** What was recorded before a reviewer began that was broken off; it is compared once it has ended. */
export const sealedShape = {
  sealed: z.object({ step: idSchema, agent: idSchema, seal: sealOrderSchema }).optional(),
};

/** Compares the real repository with what was recorded before an agent began that may not write there. */
export const openSealEffect = z.object({
  kind: z.literal("OpenSeal"),
  /** The attempt that has ended. */
  of: z.string(),
  step: idSchema,
  ...sealOrderSchema.shape,
  /** Its session, of which nothing may run by then. */
  ends: z.array(z.string()),
});

export const SEAL_ACTS_MAX = 20;

/** Something of the real repository that changed while a sealed agent worked. */
export const sealActSchema = z.object({
  /** A ref by its full name, `HEAD`, `index`, or a file of the git directory such as `.git/config`. */
  what: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** Whom git's own log names for it; null where it names nobody. */
  by: z.string().nullable(),
  /** Git's log or the object itself names the sealed agent: only that is undone. */
  proved: z.boolean(),
  undone: z.boolean(),
  /** The hidden ref that keeps what was there before the undoing, or what was deleted. */
  kept: z.string().nullable(),
});
export type SealAct = z.infer<typeof sealActSchema>;

export const sealReportSchema = z.object({
  /** The first of them, proved ones first; `count` is how many there were. */
  acts: z.array(sealActSchema),
  count: z.number().int(),
  /** Files of the real tree that differ; who changed them is not known, and they are kept. */
  files: movedFilesSchema.optional(),
});
export type SealReport = z.infer<typeof sealReportSchema>;

export const nothingMoved = ({ count, files }: SealReport): boolean => count === 0 && files === undefined;

export const isBreach = ({ acts }: Pick<SealReport, "acts">): boolean => acts.some(({ proved }) => proved);

const SEALED_DOMAIN = "sealed.holdfast.invalid";
const VARIABLES = ["AUTHOR", "COMMITTER"] as const;

/** The address under which git records what this agent does, wherever it does it. */
export const sealedEmail = (key: string): string =>
  `${key.replaceAll(/[^\w.-]+/g, ".").slice(-100)}@${SEALED_DOMAIN}`;

/**
 * What git finds in the environment of a sealed agent: a name of its own, and the order to log every change of a ref.
 * `ceiling` is the folder above a copy, in which git looks for no repository.
 */
export function sealedEnvironment(
  key: string,
  agent: { readonly name: string; readonly env?: Readonly<Record<string, string>> | undefined },
  ceiling?: string,
): Record<string, string> {
  const nth = Number(agent.env?.["GIT_CONFIG_COUNT"] ?? 0) || 0;
  const named = VARIABLES.flatMap((part) => [
    [`GIT_${part}_NAME`, `${agent.name} (sealed)`],
    [`GIT_${part}_EMAIL`, sealedEmail(key)],
  ]);
  return {
    ...(Object.fromEntries(named) as Record<string, string>),
    GIT_CONFIG_COUNT: String(nth + 1),
    [`GIT_CONFIG_KEY_${String(nth)}`]: "core.logAllRefUpdates",
    [`GIT_CONFIG_VALUE_${String(nth)}`]: "always",
    ...(ceiling === undefined ? {} : { GIT_CEILING_DIRECTORIES: ceiling }),
  };
}

/** What is known of the agents that may not write. */
export interface SealsState {
  /** Begun and not yet compared, by attempt. */
  open: Record<string, OpenSeal>;
  /** Compared, with something to say, of which nothing was decided yet. */
  reports: SealFound[];
  /** How often such an agent was proved to have changed the real repository. */
  breaches: number;
  /** The last of what was found. */
  found: (SealFound & { readonly at: number })[];
}

export interface OpenSeal extends SealOrder {
  readonly step: string;
  readonly agent: string;
  readonly session: string;
  /** Comparisons so far, for the key of the next; and failures in a row, with the last one's text. */
  looks: number;
  failures: number;
  failure: string;
  /** Somebody wrote in the tree meanwhile who may. */
  shared: boolean;
}

export interface SealFound {
  readonly attempt: string;
  readonly step: string;
  readonly agent: string;
  readonly report: SealReport;
}

export const noSeals = (): SealsState => ({ open: {}, reports: [], breaches: 0, found: [] });
