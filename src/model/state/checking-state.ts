import type { OutputsReport } from "../effects/artifact.ts";
import type { Evidence, ReviewReport } from "../effects/evidence.ts";
import type { HookPoint, HookReport } from "../flow/hook.ts";
import type { KeptProposal } from "../requests/proposal.ts";
import type { EndWord } from "./baseline.ts";
import type { BoundState, Proof } from "./bound-tree.ts";
import type { Joining } from "./workspace-state.ts";

/** What Holdfast found when it ran the checks over the work of an attempt. */
export interface CheckingState {
  readonly attempt: string;
  evidence: Evidence[];
  /** The one tree that all of it speaks of. */
  readonly bound: BoundState;
  runs: number;
  unknowns: number;
  /** Whether the protected files were found as trusted by a look that began after the attempt had ended. */
  guarded: "no" | "looking" | "yes";
  /** What was found of the declared outputs; null before they were looked at. */
  outputs: OutputsReport | null;
  /** What its reviewers have said, and how often they were asked. */
  reviews: ReviewReport[];
  asked: number;
  looks: number;
  lookFailures: number;
  lookFailure: string;
  /** How its attempt ended, how many checkpoints had been asked for by then, and the digest of its files after it. */
  word: EndWord;
  since: number;
  tree: string | null;
  proposed: KeptProposal | null;
  /** Its agent may not write, and was proved to have changed the real repository: what it did; null otherwise. */
  breach: string | null;
  joined: Joining | null;
}

/** What is known of a step's proof. */
export interface ProvedStep {
  /** The tree that its last accepted evidence speaks of; null where there is none. */
  proof: Proof | null;
  /** How often files had changed between its evidence and its commit. */
  outdated: number;
}

/** What policies and hooks have said. */
export interface RuleState {
  /** By policy and step or attempt: a person is asked, or it may pass. */
  policies: Record<string, "asked" | "passed">;
  /** Who began the last attempts: roles, or agents. */
  lastRoles: string[];
  /** By hook, point and subject. */
  hooks: Record<
    string,
    {
      readonly outcome: "open" | "asked" | "passed";
      readonly reason?: "hook_block" | "hook_tamper" | "in_doubt";
      readonly why?: string;
      readonly step: string | undefined;
      readonly report: HookReport | null;
    }
  >;
  hookRuns: number;
  /** What has happened and has hooks to be called for. */
  owed: { readonly point: HookPoint; readonly subject: string; readonly step?: string }[];
  /** Hooks that an owner which is gone had begun. */
  doubted: string[];
}
