import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { EventData } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";

type EffectOf<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

/** So long is waited for a remote that fails, doubled with each failure. */
const RETRY_MS = 2_000;
const RETRY_MS_MAX = 300_000;

export const retryInMs = (failures: number): number =>
  Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** Math.max(0, failures - 1));

/** The part of the fold that concerns the copies of a run's files on the shared remote. */
export const evolveUpload = {
  FilesUploaded(state: RunState): void {
    const { upload } = state;
    const { settled } = upload;
    if (settled === null || settled.facts === null || upload.commit === null) return;
    upload.last = { effect: settled.effect, facts: settled.facts, commit: upload.commit };
    upload.settled = null;
    Object.assign(upload, { failures: 0, failure: "", notBefore: 0 });
  },
  UploadFailed(state: RunState, { notBefore }: EventData<"UploadFailed">): void {
    state.upload.settled = null;
    state.upload.notBefore = notBefore;
  },
};

export function intendMove(state: RunState, effect: EffectOf<"UploadFiles" | "FetchFiles">): void {
  const tries = effect.kind === "UploadFiles" ? state.upload : state.upload.fetch;
  tries.count += 1;
  const { owed, steps, ...commit } = state.workspace.commit;
  if (effect.kind === "UploadFiles")
    state.upload.commit = { ...commit, owed: [...owed], steps: { ...steps }, wanted: null };
}

interface Settled {
  readonly outcome: EffectOutcome;
  readonly at: number;
}

export function settleMove(
  state: RunState,
  effect: EffectOf<"UploadFiles" | "FetchFiles">,
  settled: Settled,
): void {
  if (effect.kind === "UploadFiles") settleUpload(state, effect, settled);
  else settleFetch(state, effect, settled);
}

function settleUpload({ upload }: RunState, effect: EffectOf<"UploadFiles">, { outcome }: Settled): void {
  const facts = outcome.kind === "done" ? (outcome.uploaded ?? null) : null;
  upload.settled = { effect, facts };
  if (facts !== null) return;
  upload.failures += 1;
  upload.failure = outcome.kind === "done" ? "nothing is known of it" : outcome.text;
}

function settleFetch(
  { upload: { fetch } }: RunState,
  effect: EffectOf<"FetchFiles">,
  { outcome, at }: Settled,
): void {
  const facts = outcome.kind === "done" ? outcome.fetched : undefined;
  if (facts !== undefined) {
    fetch.settled = { effect, facts };
    return;
  }
  fetch.failures += 1;
  fetch.failure = outcome.kind === "done" ? "nothing is known of it" : outcome.text;
  fetch.notBefore = at + retryInMs(fetch.failures);
}

/** Another host looks for itself. */
export function fetchAgain({ upload: { fetch } }: RunState): void {
  Object.assign(fetch, { failures: 0, failure: "", notBefore: 0, settled: null });
}
