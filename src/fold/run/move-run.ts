import type { Place } from "../place.ts";
import { takeAlong, unpack } from "./take-along.ts";
import { newWorkspace } from "../workspace/evolve-workspace.ts";
import type { EventData } from "../../model/events/events.ts";
import type { ClaimState } from "../../model/host/supervision.ts";
import { noProposals } from "../../model/requests/proposal.ts";
import { newBaseline } from "../../model/state/baseline.ts";
import { noConflict } from "../../model/state/conflict.ts";
import { newDrift } from "../../model/state/drift.ts";
import { noOverlap } from "../../model/state/overlap.ts";
import { noProgressYet } from "../../model/state/kept-state.ts";
import { nothingUploaded } from "../../model/state/upload-state.ts";
import type { RunState } from "../../model/state/run-state.ts";

type Moved = EventData<"RunMoved">;

/**
 * Nothing that was known of the files holds on another host: trees, checkpoints, what is trusted, what is open outside.
 * Where they were brought along, what was brought holds there. What counts in keys of effects goes on counting, since
 * the run may come back to a host that it was on before.
 */
export function moveRun(state: RunState, { to, carried }: Moved, { at }: Place): void {
  changeClaim(state, { home: to, away: undefined, waits: undefined });
  const before = carried === undefined ? null : takeAlong(state, carried);
  const { asked, root, repository, acts, treesMade, treesKept } = state.workspace;
  const place = newWorkspace({ cwd: asked, tree: root, repository }, at);
  state.workspace = { ...place, acts, treesMade, treesKept, commit: { ...place.commit, startsOver: true } };
  state.cwd = asked;
  state.effects = Object.fromEntries(
    Object.entries(state.effects).filter(([, { kind }]) => kind === "Notify"),
  );
  state.guards = {};
  state.drift = { ...newDrift(), looks: state.drift.looks };
  state.overlap = { ...noOverlap(), looks: state.overlap.looks };
  state.conflict = noConflict();
  state.seals = { ...state.seals, open: {}, found: [] };
  state.proposals = { ...noProposals(), copied: state.proposals.copied };
  state.upload = uploadAgain(state.upload);
  const conversations = carried?.conversations ?? [];
  for (const step of Object.values(state.steps))
    leaveStep(state, step, new Set(conversations.map(({ id }) => id)));
  forgetKept(state, at);
  if (before !== null && carried !== undefined) unpack(state, carried, before);
}

/** What is uploaded from here on goes to refs of this host's own. */
const uploadAgain = ({ count, fetch }: RunState["upload"]): RunState["upload"] => {
  const none = nothingUploaded();
  return { ...none, count, fetch: { ...none.fetch, count: fetch.count } };
};

function forgetKept(state: RunState, at: number): void {
  Object.assign(state, {
    checkpoints: {},
    taken: null,
    restoring: null,
    readSince: null,
    releasing: [],
    leftovers: [],
    seen: {},
    baselines: {},
    baselined: [],
    artifacts: {},
    saved: false,
    saving: false,
    savedAt: at,
    keepFailures: 0,
    progress: noProgressYet(),
  } satisfies Partial<RunState>);
}

/** The conversation is a file of the host before, unless it was brought along. */
function leaveStep(state: RunState, step: RunState["steps"][string], brought: ReadonlySet<string>): void {
  const { name } = step.spec;
  if (step.checking !== null) {
    step.checking = null;
    step.status = "pending";
    Reflect.deleteProperty(state.checking, name);
  }
  step.before = newBaseline();
  step.beganWith = null;
  if (!brought.has(step.conversation?.id ?? "")) step.conversation = null;
  step.message = null;
  step.suspended = null;
  step.permitted = [];
}

/** What is undefined is left out: a state is plain JSON, and its snapshot the same. */
export function changeClaim(state: RunState, change: Partial<ClaimState>): void {
  const { at, missing, ...others } = { ...state.claim, ...change };
  const known = Object.entries(others).filter(([, value]) => value !== undefined);
  state.claim = { at, missing, ...Object.fromEntries(known) };
}
