import { newBaseline } from "../model/state/baseline.ts";
import { newBinding } from "../model/flow/bindings.ts";
import { nothingSpent } from "../model/requests/budget.ts";
import { noConflict } from "../model/state/conflict.ts";
import { newDrift } from "../model/state/drift.ts";
import type { EventData } from "../model/events/events.ts";
import type { Step } from "../model/flow/flow.ts";
import { noOverlap } from "../model/state/overlap.ts";
import { noProgressYet } from "../model/state/kept-state.ts";
import { noProposals } from "../model/requests/proposal.ts";
import { nobodyReady } from "../model/flow/ready-queue.ts";
import { newReality } from "../model/requests/reality.ts";
import type { ProgramRun, RunState, StepState, SupervisedRun } from "../model/state/run-state.ts";
import { noSeals } from "../model/requests/seal.ts";
import { nothingUploaded } from "../model/state/upload-state.ts";
import { runSettingsSchema } from "../model/settings/settings.ts";
import { newGates } from "./gate/gates.ts";
import { newProgram } from "./program/evolve-program.ts";
import { newDay } from "./resource/spent-today.ts";
import { enqueue } from "./step/enqueue.ts";
import { newWorkspace } from "./workspace/evolve-workspace.ts";

export const newStep = (spec: Step, plannedBy: string | null = null): StepState => ({
  spec,
  status: "pending",
  needsLeft: spec.needs.length,
  queued: null,
  settled: false,
  skippedFor: null,
  plannedBy,
  replans: 0,
  replanFor: null,
  started: 0,
  charged: 0,
  notBefore: null,
  limit: null,
  limitWaits: 0,
  ladder: null,
  remedies: {},
  live: null,
  permitted: [],
  suspended: null,
  lastFailure: null,
  sameFailures: 0,
  deaths: { quiet: 0, all: 0 },
  checking: null,
  before: newBaseline(),
  basis: null,
  proof: null,
  outdated: 0,
  checkFails: 0,
  sameChecks: 0,
  beganWith: null,
  conversation: null,
  feedback: null,
  message: null,
  helper: null,
  expert: null,
  notes: [],
  rung: [],
  checkpoint: null,
  result: null,
  spent: nothingSpent(),
  doneSeq: null,
});

const nothingKept = (at: number) => ({
  progress: noProgressYet(),
  baselines: {},
  baselined: [],
  checkpoints: {},
  checkpointed: 0,
  saved: false,
  saving: false,
  unsavedStep: false,
  savedAt: at,
  taken: null,
  keepFailures: 0,
  keepFailure: "",
  restoring: null,
  readSince: null,
  triages: 0,
  triaged: null,
  restores: 0,
  releasing: [],
  releases: 0,
  releaseFailures: 0,
  handOvers: [],
  seals: noSeals(),
  upload: nothingUploaded(),
  leftovers: [],
  seen: {},
});

/** Nobody has claimed it, nothing was received from others, and nothing has crashed. */
const standingFree = () => ({
  epoch: 0,
  claim: { at: null, missing: [] },
  host: null,
  sharedResources: {},
  resourceReports: 0,
  incidentsReported: [],
  pardoned: [],
  crashes: [],
  crashTrippedAt: 0,
  crashPause: null,
});

/** Nothing of budgets and time limits is used up. */
const unused = (at: number) => ({
  rules: { policies: {}, lastRoles: [], hooks: {}, hookRuns: 0, owed: [], doubted: [] },
  spent: nothingSpent(),
  counted: { pricedUsd: 0, unpricedTokens: 0 },
  dearest: nothingSpent(),
  pressed: {},
  overAt: {},
  today: newDay(at),
  days: [],
  clock: { usedMs: 0, since: null },
  clockRead: null,
  clockJumped: null,
  phaseClocks: {},
});

/** Whose run it is, as far as its first event says. */
const originOf = ({ family, approverKeys, placement }: EventData<"RunCreated">) => ({
  ...(placement === undefined ? {} : { placement }),
  ...(family === undefined ? {} : { family }),
  ...(approverKeys === undefined ? {} : { approverKeys }),
});

/** The state right after a run was created. */
export function newRunState(run: string, at: number, data: EventData<"RunCreated">): SupervisedRun {
  const state: SupervisedRun = {
    kind: "supervised",
    run,
    ...originOf(data),
    seq: 0,
    at,
    createdAt: at,
    goal: data.goal,
    flow: withoutSteps(data.flow),
    agents: data.agents,
    settings: data.settings,
    budget: data.budget,
    cwd: data.cwd,
    workspace: newWorkspace(data, at),
    proposals: noProposals(),
    status: "queued",
    stop: null,
    stoppingTo: null,
    pausedInEpoch: 0,
    stale: { activityAt: at, pausedAt: null, resumes: 0 },
    blocked: null,
    blockedAt: 0,
    escalated: 0,
    escalations: {},
    notices: {},
    undelivered: [],
    failure: null,
    failedStep: null,
    result: null,
    ...standingFree(),
    steps: {},
    ready: nobodyReady(),
    checking: {},
    dependents: {},
    gates: newGates(data.flow, data.settings),
    reality: newReality(),
    stepsLeft: data.flow.steps.length,
    failedSteps: 0,
    passedOver: 0,
    attempts: {},
    effects: {},
    requests: [],
    untold: [],
    unreceived: [],
    alarms: {},
    alarmsSet: 0,
    ...nothingKept(at),
    drift: newDrift(),
    conflict: noConflict(),
    overlap: noOverlap(),
    binding: newBinding(data.source, at),
    artifacts: {},
    guards: {},
    guardChecks: 0,
    ...unused(at),
  };
  placeSteps(state, data.flow.steps);
  return state;
}

const withoutSteps = ({
  name,
  phases,
  roles,
  handed,
}: EventData<"RunCreated">["flow"]): RunState["flow"] => ({
  name,
  phases,
  ...(roles === undefined ? {} : { roles }),
  ...(handed === undefined ? {} : { handed }),
});

/** What a step waits for: the steps that it needs, and the gate before its phase. */
function placeSteps(state: RunState, specs: readonly Step[]): void {
  for (const spec of specs) {
    state.steps[spec.name] = newStep(spec);
    for (const need of spec.needs) (state.dependents[need] ??= []).push(spec.name);
  }
  for (const { followers } of Object.values(state.gates))
    for (const name of followers) {
      const step = state.steps[name];
      if (step !== undefined) step.needsLeft += 1;
    }
  for (const [name, { needsLeft }] of Object.entries(state.steps)) if (needsLeft === 0) enqueue(state, name);
}

/** A run of a program has no steps of its own: what it asks for is in `program`. */
export function newProgramRun(run: string, at: number, data: EventData<"BodyCreated">): ProgramRun {
  const goal = data.body ?? run;
  const flow = { name: "body", steps: [], phases: [] };
  const settings = runSettingsSchema.parse({});
  const order = { goal, flow, agents: {}, settings, budget: data.budget, cwd: "", by: data.by };
  return { ...newRunState(run, at, order), kind: "program", program: newProgram(data) };
}
