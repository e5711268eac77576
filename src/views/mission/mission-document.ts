import type { RepositoryFact } from "../../decide/mission/mission-facts.ts";
import type { Difference } from "../../decide/mission/reconcile.ts";
import type { ContinuousBudget, SpentAmounts } from "../../model/continuous/continuous-spec.ts";
import type { AcceptanceBlock, Autopilot } from "../../model/mission/mission-events.ts";
import type { RunStatus } from "../../model/state/run-status.ts";

export type MissionStatus =
  "open" | "running" | "blocked" | "paused" | "stopped" | "ready_to_accept" | "accepting" | "ended";

export interface TryView {
  readonly run: string;
  readonly at: string;
  readonly by: string;
  readonly wave: number | null;
  readonly retry: boolean;
  readonly status: RunStatus | null;
  readonly end: string | null;
  readonly text: string | null;
}

export interface WorkstreamView {
  readonly id: string;
  readonly repository: string;
  readonly goal: string;
  readonly needs: readonly string[];
  /** What it still waits for. */
  readonly waitsFor: readonly string[];
  readonly status:
    | "queued"
    | "ready"
    | "at_work"
    | "waiting"
    | "done"
    | "failed"
    | "cancelled"
    | "not_started"
    | "skipped"
    | "accepted";
  readonly run: string | null;
  readonly text: string | null;
  readonly commit: string | null;
  /** What the repository says of its work; null where nothing is to be said. */
  readonly found: string | null;
  /** What is in its repository's branch; null before. */
  readonly accepted: {
    readonly commit: string;
    readonly into: string;
    readonly how: string;
    readonly at: string;
  } | null;
  /** Every run that it was given to, oldest first. */
  readonly tries: readonly TryView[];
}

export interface RepositoryView {
  readonly name: string;
  readonly path: string;
  readonly branch: string;
  readonly stand: RepositoryFact["stand"];
  readonly dirty: readonly string[];
  /** Where it was cloned from; null for a repository of the user's own. */
  readonly url: string | null;
  /** The command that pushes accepted work to there; null where nothing is left to push. */
  readonly push: string | null;
}

export interface BarrierView {
  readonly name: string;
  readonly of: readonly string[];
  /** Which of them must be done. */
  readonly when: "all" | "any" | readonly string[];
  /** Values that must stand in files of its workstreams, in words. */
  readonly conditions: readonly string[];
  /** A person lets it pass. */
  readonly approval: boolean;
  readonly open: boolean;
  readonly by: string | null;
  readonly text: string | null;
}

export interface WaitingView {
  readonly run: string;
  readonly workstream: string;
  readonly reason: string;
  readonly detail: string;
  readonly command: string;
}

export interface MissionView {
  readonly mission: string;
  readonly status: MissionStatus;
  readonly since: string;
  readonly by: string;
  readonly text: string | null;
  readonly stoppedBy: string | null;
  readonly pausedBy: string | null;
  readonly autopilot: Autopilot | null;
  readonly autopilotStop: { readonly reason: string; readonly text: string } | null;
  readonly wave: number | null;
  readonly blockedBy: readonly WaitingView[];
  readonly barriers: readonly BarrierView[];
  readonly block: AcceptanceBlock | null;
  readonly approvedBy: string | null;
  /** What a person would approve now; null while something is not done. */
  readonly digest: string | null;
  readonly reconciliationRequired: readonly Difference[];
  readonly budget: {
    readonly limits: ContinuousBudget;
    readonly spent: SpentAmounts & { readonly runs: number };
  };
  readonly order: readonly string[];
  readonly workstreams: readonly WorkstreamView[];
  readonly repositories: readonly RepositoryView[];
  /** The command that continues it; null while it needs nobody. */
  readonly command: string | null;
}
