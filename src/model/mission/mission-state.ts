import type { GoalRun } from "../continuous/continuous-state.ts";
import type {
  AcceptanceBlock,
  Autopilot,
  AutopilotStop,
  FailedKind,
  FinishedWork,
  HandedOn,
  PlannedAcceptance,
} from "./mission-events.ts";
import type { MissionSpec, Workstream } from "./mission-spec.ts";

/** One run that a workstream was given to; all of them stay as its history. */
export interface WorkstreamRun extends GoalRun {
  readonly at: number;
  readonly by: string;
  readonly wave: number | null;
  readonly retry: boolean;
  readonly on: readonly string[];
  readonly handed: readonly HandedOn[];
  /** How it ended here; null while it has not. */
  end: { readonly kind: "done" | FailedKind; readonly text: string; readonly at: number } | null;
}

export interface WorkstreamState {
  /** Named as in a session, whose rules for runs and budgets hold here too. */
  readonly goal: Workstream;
  readonly order: number;
  status: "queued" | "issued" | "ended";
  readonly notBefore: number;
  readonly runs: WorkstreamRun[];
  end: { readonly kind: "done" | "skipped" | FailedKind; readonly text: string; readonly at: number } | null;
  work: FinishedWork | null;
  accepted: {
    readonly commit: string;
    readonly into: string;
    readonly how: string;
    readonly at: number;
  } | null;
  /** That its work be taken in was asked of its run, by that event. */
  asked: { readonly seq: number; readonly after: number; readonly bring: boolean } | null;
}

export interface Acceptance {
  readonly by: string;
  readonly digest: string;
  /** The commit of each workstream that was shown. */
  readonly work: Readonly<Record<string, string>>;
  plan: readonly PlannedAcceptance[] | null;
  stands: Readonly<Record<string, { readonly branch: string; readonly commit: string }>>;
  block: AcceptanceBlock | null;
}

/** The fold over a mission's events. */
export interface MissionState {
  readonly name: string;
  seq: number;
  at: number;
  /** Null before it was begun. */
  spec: MissionSpec | null;
  begunAt: number;
  by: string;
  /** Workstreams by id, in the order of the file. */
  readonly goals: Record<string, WorkstreamState>;
  /** Barriers that are open, and who let them pass where somebody did. */
  readonly barriers: Record<string, { readonly at: number; readonly by: string | null }>;
  autopilot: (Autopilot & { readonly by: string; readonly since: number }) | null;
  autopilotStop: { readonly reason: AutopilotStop; readonly text: string; readonly at: number } | null;
  /** The last wave, and who belongs to it. */
  wave: { readonly number: number; readonly workstreams: readonly string[] } | null;
  /** Retries by the autopilot since it was set, by workstream. */
  readonly retries: Record<string, number>;
  acceptance: Acceptance | null;
  /** How often what is left was planned again. */
  replans: number;
  /** The last commit that was pushed, by repository. */
  readonly pushed: Record<string, string>;
  pause: { readonly by: string; readonly at: number } | null;
  stop: { readonly by: string; readonly at: number; readonly seq: number } | null;
  end: { readonly text: string; readonly at: number } | null;
  /** Requests that came under an id, so that each is done once; the last of them. */
  readonly requests: string[];
  runs: number;
  today: { day: string; runs: number; timeMs: number };
}
