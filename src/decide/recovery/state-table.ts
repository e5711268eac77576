import type { RequestKind } from "../../model/requests/requests.ts";
import { RUN_STATUSES, STOP_KINDS, type RunStatus, type StopKind } from "../../model/state/run-status.ts";

/** What a state means to somebody who sees it. */
export const STATE_MEANINGS: Readonly<Record<RunStatus, string>> = {
  queued: "created; no supervisor has begun it yet",
  running: "running, or about to, under its owner",
  pausing: "on its way to a stop: nothing new is started and live sessions are being ended",
  paused: "paused; nothing is lost and no process lives",
  awaiting_approval: "waits for a person's yes or no; sessions that live go on",
  blocked: "cannot go on by itself; the reason says why and carries the command that helps",
  completed: "nothing is left to do: every step succeeded, or was skipped",
  failed: "ended without success",
  cancelled: "ended because somebody asked for it",
};

/** Why a run stops, and what becomes of it when a supervisor comes again. */
export const STOP_MEANINGS: Readonly<Record<StopKind, string>> = {
  operator: "somebody asked for it; it stays until somebody asks again",
  shutdown: "the supervisor was asked to end its sessions; the next supervisor continues the run",
  supervisor_restart:
    "its supervisor ended and its agent works inside that process (a function that a program registered); another supervisor goes on by itself",
  stale: "the provider has been silent for too long; it is tried again within 20 min, twice",
  guardrail:
    "a rule was met: a policy, a hook, protected files, attempts or remedies that are used up, drift, a conflict",
  budget: "a budget is spent",
  timeout: "a time limit was reached, or nobody approved in time",
  panic:
    "the emergency brake, a damaged journal, or something that must not be; it stays until somebody has looked",
};

/** What a request does where it is taken: the state the run is in right after it, and what the asker receives of it. */
export interface Taken {
  /** Where the run may stand once the answer is recorded. Stopping settles later, in the state named last. */
  readonly to: readonly RunStatus[];
  readonly does: string;
}

type Row = Readonly<Partial<Record<RunStatus, Taken>>>;

const inEach = (statuses: readonly RunStatus[], taken: (status: RunStatus) => Taken): Row =>
  Object.fromEntries(statuses.map((status) => [status, taken(status)]));

const LIVE: readonly RunStatus[] = ["queued", "running", "pausing", "paused", "awaiting_approval", "blocked"];
const ENDED: readonly RunStatus[] = ["completed", "failed", "cancelled"];
const stays =
  (does: string) =>
  (status: RunStatus): Taken => ({ to: [status], does });
const goesOn: Taken = { to: ["running", "pausing"], does: "goes on" };

/**
 * The one table of state × request. A pair that is not here is refused, and the refusal names the states that are
 * (exit code 5). Code, `docs/states.md` and the tests derive from it.
 */
export const STATE_TABLE: Readonly<Record<RequestKind, Row>> = {
  pause: {
    ...inEach(["queued", "running"], () => ({
      to: ["pausing", "paused"],
      does: "ends live sessions, keeps finished work, and settles as paused",
    })),
    pausing: { to: ["pausing", "paused"], does: "is on its way already; refused if it is being cancelled" },
  },
  resume: { paused: { to: ["running"], does: "goes on where it was" } },
  cancel: inEach(LIVE, () => ({
    to: ["pausing", "cancelled"],
    does: "ends live sessions and settles as cancelled",
  })),
  retry: {
    ...inEach(["paused", "failed", "cancelled"], () => ({
      to: ["running"],
      does: "goes on, with new attempts for what failed",
    })),
    blocked: { to: ["running", "pausing"], does: "goes on, with new attempts for what failed" },
  },
  reopen: inEach(ENDED, () => ({ to: ["paused"], does: "may work again, once it is resumed or retried" })),
  approve: {
    awaiting_approval: goesOn,
    blocked: { to: ["running", "pausing"], does: "goes on, if what blocks it is a gate's action" },
  },
  reject: {
    awaiting_approval: { to: ["running", "pausing"], does: "sends the work back, with the note" },
  },
  unblock: inEach(["blocked"], () => goesOn),
  escalate: {
    ...inEach(["queued", "running"], () => ({
      to: ["blocked"],
      does: "stops for an operator; live sessions are suspended at the end of their turn",
    })),
    ...inEach(
      ["awaiting_approval", "blocked"],
      stays("goes to an operator, who is notified through every channel; its way out stays"),
    ),
  },
  tell: inEach(["queued", "running", "paused", "awaiting_approval", "blocked"], (status) =>
    status === "blocked"
      ? {
          to: ["blocked", "running", "pausing"],
          does: "is sent to the agent at work, continues a suspended session, or is kept for the next attempt",
        }
      : stays("is sent to the agent at work, or kept for the next attempt")(status),
  ),
  report: inEach(["running", "awaiting_approval", "blocked"], (status) => ({
    to: [status, "blocked"],
    does: "is received from the agent at work; a question waits for a person",
  })),
  checkpoint_note: inEach(
    ["running", "awaiting_approval", "blocked"],
    stays("is kept for the step's next agent"),
  ),
  alarm: inEach(["queued", "running", "paused", "awaiting_approval", "blocked"], (status) =>
    stays(status === "paused" ? "rings when it is due, and the run goes on then" : "rings when it is due")(
      status,
    ),
  ),
  terminal: inEach(
    LIVE,
    stays(
      "records that a person takes over the terminal of an agent at work, types into it or gives it back",
    ),
  ),
  cancel_alarm: inEach(LIVE, stays("takes an alarm back that has not rung")),
  signal: inEach(LIVE, stays("is received by the workflow function, if the run has one")),
  settle: {
    running: {
      to: ["running"],
      does: "says what became of a step that a process began and did not live to record",
    },
    blocked: { to: ["running", "blocked"], does: "says what became of a step in doubt" },
  },
  handoff: {
    ...inEach(["queued", "running", "paused"], stays("gives a step to another agent")),
    awaiting_approval: {
      to: ["awaiting_approval", "running", "pausing"],
      does: "gives a step to another agent; goes on if that step is what was asked about",
    },
    blocked: {
      to: ["blocked", "running", "pausing"],
      does: "gives a step to another agent; goes on if that step blocked it",
    },
  },
  commit: {
    ...inEach(
      ["running", "paused", "awaiting_approval"],
      stays("commits what was changed, or what is named"),
    ),
    blocked: {
      to: ["blocked", "running", "pausing"],
      does: "commits what was changed; goes on if that was all it lacked",
    },
    completed: { to: ["running"], does: "commits what was changed, and is completed again" },
    failed: { to: ["paused"], does: "commits what was changed, and is paused" },
    cancelled: { to: ["paused", "cancelled"], does: "commits what was changed, and is cancelled again" },
  },
  accept: {
    running: {
      to: ["running"],
      does: "takes what is done up to a named step into your branch, or all of it if no agent is at work",
    },
    paused: { to: ["paused"], does: "commits, and takes its branch into yours" },
    blocked: {
      to: ["blocked", "running", "pausing"],
      does: "commits, and takes its branch into yours, if no agent is at work",
    },
    completed: { to: ["running"], does: "commits, takes its branch into yours, and is completed again" },
    failed: { to: ["paused"], does: "commits, takes its branch into yours, and is paused" },
    cancelled: {
      to: ["paused", "cancelled"],
      does: "commits, takes its branch into yours, and is cancelled again",
    },
  },
  checkpoint: inEach(LIVE, stays("keeps where it stands: files, steps, conversations")),
  restore: {
    ...inEach(["paused", "completed", "failed", "cancelled"], () => ({
      to: ["paused"],
      does: "is put back to a checkpoint, if no agent is at work in the tree",
    })),
    blocked: {
      to: ["paused", "blocked"],
      does: "is put back to a checkpoint, if no agent is at work in the tree",
    },
  },
  reissue: {
    ...inEach(["running", "paused"], stays("redoes steps on the current base")),
    blocked: {
      to: ["blocked", "running", "pausing"],
      does: "redoes steps on the current base; goes on if that was all it lacked",
    },
    completed: { to: ["running"], does: "runs again, on the current base" },
  },
  reconcile: {
    ...inEach(
      ["running", "paused"],
      stays("takes a person's own commits as the new base, if they lie on top of what was there"),
    ),
    blocked: {
      to: ["blocked", "running", "pausing"],
      does: "takes a person's own commits as the new base; goes on if that was all it lacked",
    },
  },
  trust: inEach(LIVE, (status) =>
    status === "blocked"
      ? {
          to: ["blocked", "running", "pausing"],
          does: "accepts protected files as they are; goes on if that was all it lacked",
        }
      : stays("accepts protected files as they are")(status),
  ),
  apply_proposal: inEach(
    ["running", "paused", "awaiting_approval", "blocked"],
    stays("brings a proposal into the run's tree; goes on afterwards if it waited for that"),
  ),
  reject_proposal: {
    ...inEach(
      ["running", "paused", "awaiting_approval"],
      stays("sends a proposal back with the note, or does without it"),
    ),
    blocked: {
      to: ["blocked", "running", "pausing"],
      does: "sends a proposal back with the note, or does without it; goes on if it waited for that",
    },
  },
  budget: inEach(LIVE, (status) =>
    status === "blocked"
      ? {
          to: ["blocked", "running", "pausing"],
          does: "changes the budget; goes on if that was all it lacked",
        }
      : stays("changes the budget")(status),
  ),
  set: inEach(LIVE, (status) =>
    status === "blocked"
      ? {
          to: ["blocked", "running", "pausing"],
          does: "changes limits and settings; goes on if that was all it lacked",
        }
      : stays("changes limits and settings, at once")(status),
  ),
};

export const allowedIn = (kind: RequestKind): RunStatus[] =>
  RUN_STATUSES.filter((status) => STATE_TABLE[kind][status] !== undefined);

export const isAllowed = (kind: RequestKind, status: RunStatus): boolean =>
  STATE_TABLE[kind][status] !== undefined;

/** Stops that were not meant for the run: the one that owns it next wakes it. */
export const WAKING_STOPS: readonly StopKind[] = STOP_KINDS.filter(
  (stop) => stop === "shutdown" || stop === "supervisor_restart",
);
