import type { RunState } from "../../model/state/run-state.ts";
import { isHoldfast, type UnreceivedWords, type Words } from "../../model/text/words.ts";

/**
 * Words of people are open until an agent has started with them in its task (A8). Of those that nobody received when
 * the run ends people are shown whose they were.
 */

/** Kept of one run; the journal has all of them. */
const UNRECEIVED_MAX = 100;

export function noteSaid(state: RunState, step: string, { by, text, at }: Words & { at: number }): void {
  if (isHoldfast(by)) return;
  const words: UnreceivedWords = { step, by, text, at, onWay: null };
  state.unreceived = [...state.unreceived, words].slice(-UNRECEIVED_MAX);
}

/** The task of an attempt holds what its step has noted. */
export function putOnWay(state: RunState, { attempt, step }: { attempt: string; step: string }): void {
  const notes = state.steps[step]?.notes ?? [];
  const isHeld = (words: UnreceivedWords): boolean =>
    words.step === step && notes.some(({ by, text }) => by === words.by && text === words.text);
  state.unreceived = state.unreceived.map((words) => (isHeld(words) ? { ...words, onWay: attempt } : words));
}

export function arrived(state: RunState, attempt: string): void {
  if (state.unreceived.length > 0)
    state.unreceived = state.unreceived.filter(({ onWay }) => onWay !== attempt);
}

/** An attempt that ended without having started took them nowhere. */
export function neverArrived(state: RunState, attempt: string): void {
  state.unreceived = state.unreceived.map((words) =>
    words.onWay === attempt ? { ...words, onWay: null } : words,
  );
}
