import assert from "node:assert/strict";
import { test } from "node:test";
import { faultProblem } from "../../src/api/server/problem.ts";
import { EXIT_OF_FAULT, EXIT_OF_STATUS } from "../../src/cli/shell/define-command.ts";
import { stopOf } from "../../src/decide/dispatch/stop-kind.ts";
import { STATE_TABLE } from "../../src/decide/recovery/state-table.ts";
import { AGENTS_MAY } from "../../src/decide/requests/who-may.ts";
import { effectSchema, type EffectKind } from "../../src/model/effects/effects.ts";
import { Fault, FAULT_CODES, type FaultCode } from "../../src/model/fault.ts";
import { BLOCKED_REASONS, type Blocked } from "../../src/model/requests/blocked.ts";
import { requestSchema, type RequestKind } from "../../src/model/requests/requests.ts";
import { EVENT_TYPES } from "../../src/model/events/events.ts";
import { RUN_STATUSES } from "../../src/model/state/run-status.ts";
import { EVENT_KINDS } from "../../src/views/text/event-kinds.ts";

/** Every kind that was ever written; the compiler asks for a new one, and none may leave. */
const EFFECTS: Readonly<Record<EffectKind, true>> = {
  StartAgent: true,
  TellAgent: true,
  AnswerPermission: true,
  EndAgent: true,
  RunCheck: true,
  AskReview: true,
  OpenSeal: true,
  CollectOutputs: true,
  GuardFiles: true,
  TakeCheckpoint: true,
  RunAtGate: true,
  LookAtHead: true,
  LookAtBindings: true,
  CompareWork: true,
  ReleaseCheckpoints: true,
  RestoreCheckpoint: true,
  TellGround: true,
  AskTriage: true,
  RunHook: true,
  Notify: true,
  CreateWorktree: true,
  HoldTree: true,
  FreeTree: true,
  RunInTree: true,
  CarryFiles: true,
  RemoveWorktree: true,
  CommitWork: true,
  AcceptWork: true,
  JoinWork: true,
  CopyTree: true,
  KeepProposal: true,
  ApplyProposal: true,
  DropCopy: true,
  UploadFiles: true,
  FetchFiles: true,
};

/** Whether a schema knows the kind, no matter what else it misses in this value. */
function isKnown(schema: typeof effectSchema | typeof requestSchema, kind: string): boolean {
  const issues = schema.safeParse({ kind }).error?.issues ?? [];
  return !issues.some(({ path: [first] }) => first === "kind");
}

for (const kind of Object.keys(EFFECTS))
  test(`J9 the effect ${kind} of an old journal can be read`, () => {
    assert.ok(isKnown(effectSchema, kind));
    assert.ok(!isKnown(effectSchema, `${kind}Never`));
  });

for (const kind of Object.keys(STATE_TABLE) as RequestKind[])
  test(`J9 the request ${kind} can be read, and is open to some agents or to none`, () => {
    assert.ok(isKnown(requestSchema, kind));
    assert.ok(["any", "own", "started", "never"].includes(AGENTS_MAY[kind]));
  });

test("G13 every event is a request, an observation, a decision, an intent or shared to the audit", () => {
  const kinds = ["request", "observation", "decision", "intent", "shared"];
  for (const type of EVENT_TYPES) assert.ok(kinds.includes(EVENT_KINDS[type]), type);
});

/** As people's scripts and clients know them. */
const FAULTS: Readonly<Record<FaultCode, readonly [exit: number, status: number]>> = {
  usage: [2, 400],
  config_invalid: [2, 422],
  not_found: [4, 404],
  untrusted: [3, 409],
  refused: [5, 409],
  file_refused: [5, 422],
  store_unavailable: [6, 503],
  store_foreign: [6, 503],
  store_truncated: [6, 503],
  store_version: [6, 503],
  store_gone: [6, 503],
  store_full: [6, 503],
  store_readonly: [6, 503],
  store_failed: [6, 503],
  store_busy: [6, 503],
  journal_damaged: [6, 500],
  event_unknown: [1, 500],
  agent_missing: [1, 409],
  agent_failed: [1, 500],
  supervisor_failed: [1, 500],
  diverged: [1, 409],
  closed: [1, 503],
  cancelled: [1, 409],
  budget_exhausted: [1, 409],
  broken_promise: [1, 500],
};

for (const [code, [exit, status]] of Object.entries(FAULTS) as [FaultCode, readonly [number, number]][])
  test(`O2 ${code} has a meaning, the exit code ${String(exit)} and the HTTP status ${String(status)}`, () => {
    assert.match(FAULT_CODES[code], /^[a-z].+/);
    assert.equal(EXIT_OF_FAULT[code], exit);
    assert.equal(faultProblem(new Fault(code, "as seen")).status, status);
  });

test("O2 a run of every status has an exit code", () => {
  for (const status of RUN_STATUSES) assert.equal(typeof EXIT_OF_STATUS[status], "number", status);
});

for (const reason of BLOCKED_REASONS)
  test(`G2 a run that is blocked by ${reason} has a known kind of stop, or none`, () => {
    const blocked = { reason } as Blocked;
    assert.notEqual(stopOf({ blocked, stop: null }), undefined);
  });
