import type { Effect } from "../../src/model/effects/effects.ts";
import type { EffectOutcome } from "../../src/model/effects/effect-outcome.ts";
import type { Evidence } from "../../src/model/effects/evidence.ts";
import { EXAMPLES } from "../model/example-events.ts";

export const evidence = (verdict: Evidence["verdict"], excerpt = ""): Evidence => ({
  command: "npm test",
  verdict,
  exitCode: verdict === "pass" ? 0 : verdict === "fail" ? 1 : null,
  signal: null,
  timedOut: false,
  outputBytes: 0,
  digest: "",
  excerpt,
  durationMs: 5,
});

export const COMMIT = "a".repeat(40);

type Outcomes = {
  readonly [Kind in Effect["kind"]]?: (effect: Extract<Effect, { kind: Kind }>) => EffectOutcome;
};

const { commit, branch, files, count } = EXAMPLES.WorkCommitted;
const { ref, left, conversations, without } = EXAMPLES.FilesUploaded;
const UPLOADED = { ref, commit: EXAMPLES.FilesUploaded.commit, left, conversations, without };
const checked = (): EffectOutcome => ({ kind: "done", evidence: evidence("pass") });

/** What those tell of whose success there is something to tell. */
const OUTCOMES: Outcomes = {
  TakeCheckpoint: ({ checkpoint }) => ({
    kind: "done",
    snapshot: { ...EXAMPLES.CheckpointTaken.snapshot, id: `snap-${checkpoint}` },
  }),
  RestoreCheckpoint: () => ({
    kind: "done",
    restored: { before: "snap-before", written: 1, removed: 0, left: 0 },
  }),
  OpenSeal: () => ({ kind: "done", seal: { acts: [], count: 0 } }),
  GuardFiles: () => ({
    kind: "done",
    guard: { trusted: "t1", paths: 1, findings: [], count: 0, undone: true },
  }),
  LookAtHead: () => ({
    kind: "done",
    head: { branch: "main", commit: COMMIT, relation: "same", files: [], count: 0 },
  }),
  CompareWork: () => ({ kind: "done", overlap: { own: 1, peers: [] } }),
  UploadFiles: () => ({ kind: "done", uploaded: UPLOADED }),
  CreateWorktree: () => ({ kind: "done", place: { kind: "created", worktree: EXAMPLES.WorktreeCreated } }),
  RemoveWorktree: () => ({ kind: "done", place: { kind: "removed", snapshot: "0a" } }),
  HoldTree: () => ({ kind: "done", place: { kind: "held", epoch: 1 } }),
  FreeTree: () => ({ kind: "done", place: { kind: "freed" } }),
  CarryFiles: () => ({ kind: "done", place: { kind: "carried", files: [], count: 0, paths: [], left: [] } }),
  RunInTree: () => ({ kind: "done", place: { kind: "ran", evidence: evidence("pass") } }),
  CommitWork: () => ({ kind: "done", place: { kind: "committed", commit, branch, files, count } }),
  // What an agent is to do is not done before.
  RunCheck: ({ phase }) => ({
    kind: "done",
    evidence: evidence(phase === "before" || phase === "home" ? "fail" : "pass"),
  }),
  RunAtGate: checked,
  RunHook: () => ({
    kind: "done",
    hook: { decision: "continue", message: "", failed: false, tampered: [], durationMs: 1 },
  }),
};

/** Every effect succeeds, and finds nothing. */
export function defaultOutcome(effect: Effect): EffectOutcome {
  const outcome = OUTCOMES[effect.kind] as ((of: Effect) => EffectOutcome) | undefined;
  return outcome?.(effect) ?? { kind: "done" };
}
