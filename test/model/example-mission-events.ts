import type { EventData } from "../../src/model/events/events.ts";
import type { MISSION_EVENTS } from "../../src/model/mission/mission-events.ts";
import { missionSpecSchema } from "../../src/model/mission/mission-spec.ts";

const COMMIT = "4f2a".repeat(10);

const SPEC = missionSpecSchema.parse({
  repositories: { api: { path: "/repositories/api", branch: "main", commit: COMMIT } },
  workstreams: [{ id: "schema", repository: "api", goal: "design the schema", artifacts: ["schema.json"] }],
  order: ["schema"],
  cwd: "/repositories",
});

export const EXAMPLE_MISSION_EVENTS = {
  MissionBegun: { by: "ada", spec: SPEC },
  WorkstreamLaunched: {
    workstream: "schema",
    run: "shop.schema.1",
    allowance: { usd: 5 },
    by: "autopilot",
    wave: 1,
    retry: false,
    on: [],
    handed: [{ from: "plan", path: "plan.md", digest: "9f86", bytes: 12 }],
  },
  WorkstreamFinished: {
    workstream: "schema",
    run: "shop.schema.1",
    work: {
      commit: COMMIT,
      from: COMMIT,
      artifacts: [{ path: "schema.json", digest: "9f86", bytes: 12 }],
      decisions: "ids are UUIDs",
      values: { "schema.json#/ready": true },
    },
  },
  WorkstreamFailed: { workstream: "schema", run: "shop.schema.1", end: "failed", text: "the tests fail" },
  WorkstreamSkipped: { workstream: "schema", by: "ada" },
  BarrierOpened: { barrier: "designed" },
  AutopilotSet: {
    by: "ada",
    autopilot: { autoRetry: true, retries: 2, missionRetries: 4, continueOnFailure: false },
  },
  AutopilotStopped: { reason: "workstream_failed", text: "schema: the tests fail" },
  WaveBegun: { wave: 1, workstreams: ["schema"] },
  MissionApproved: { by: "ada", digest: "60405c", work: { schema: COMMIT } },
  AcceptancePrepared: {
    plan: [{ workstream: "schema", repository: "api", commit: COMMIT, how: "fast_forward" }],
    repositories: { api: { branch: "main", commit: COMMIT } },
  },
  AcceptanceHeld: {
    block: {
      kind: "repository_dirty",
      repository: "api",
      workstream: "schema",
      detail: "/repositories/api has changes that are not committed: a.ts",
      command: "git -C /repositories/api stash push --include-untracked",
    },
  },
  AcceptanceAsked: { workstream: "schema", run: "shop.schema.1", after: 40, bring: false },
  WorkstreamAccepted: { workstream: "schema", commit: COMMIT, into: "main", how: "fast_forward" },
  AcceptanceLost: {
    workstream: "schema",
    text: "the branch main of api does not hold 4f2a4f2a4f2a any more",
  },
  MissionReplanned: { by: "ada", spec: SPEC, dropped: ["page"] },
  WorkPushed: { by: "ada", repository: "api", commit: COMMIT },
  MissionPaused: { by: "ada" },
  MissionResumed: { by: "ada" },
  MissionStopped: { by: "ada" },
  MissionEnded: { text: "the work of schema is accepted" },
} satisfies { [Type in keyof typeof MISSION_EVENTS]: EventData<Type> };
