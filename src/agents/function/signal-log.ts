import type { Signal } from "../../model/agent/signals.ts";

/**
 * The signals of one in-process session between the function that emits them and the one that listens.
 *
 * A signal is not received until a listener has answered for it, then kept for re-reading until its place is needed.
 * 1. Positions count from 0 and never change; a cursor is the position to read next.
 * 2. At most `UNRECEIVED_MAX` signals wait. Beyond that they are counted instead, and the count is a signal (I7).
 * 3. What the driver itself says (result, error, exit) is never dropped.
 */
export interface SignalLog {
  push(signal: Signal, keep?: "always"): void;
  read(from: number, countMax: number): { readonly signals: readonly Signal[]; readonly next: number };
  received(upTo: number): void;
  last(): Signal | undefined;
  /** Answers once there is something at `from`, or after `wake`. */
  more(from: number): Promise<void>;
  /** Answers once few enough signals wait that more are welcome. */
  room(): Promise<void>;
  wake(): void;
}

const UNRECEIVED_MAX = 1_000;
const WELCOME_BELOW = UNRECEIVED_MAX / 2;

export function signalLog(): SignalLog {
  let first = 0;
  let receivedTo = 0;
  let dropped = 0;
  const kept: Signal[] = [];
  const readers = new Set<() => void>();
  const writers = new Set<() => void>();
  const end = (): number => first + kept.length;

  const append = (signal: Signal): void => {
    kept.push(signal);
    while (kept.length > UNRECEIVED_MAX && first < receivedTo) {
      kept.shift();
      first += 1;
    }
  };
  const push = (signal: Signal, keep?: "always"): void => {
    if (keep === undefined && end() - receivedTo >= UNRECEIVED_MAX) {
      dropped += 1;
      return;
    }
    if (dropped > 0)
      append(note(`${String(dropped)} signals were dropped: more than ${String(UNRECEIVED_MAX)} waited`));
    dropped = 0;
    append(signal);
    callAll(readers);
  };
  const read = (from: number, countMax: number): { signals: readonly Signal[]; next: number } => {
    const lost = first - from;
    const start = Math.max(0, -lost);
    const signals = kept.slice(start, start + countMax);
    const next = first + start + signals.length;
    return {
      signals: lost > 0 ? [note(`${String(lost)} signals are no longer kept`), ...signals] : signals,
      next,
    };
  };
  const received = (upTo: number): void => {
    receivedTo = Math.max(receivedTo, upTo);
    if (end() - receivedTo < WELCOME_BELOW) callAll(writers);
  };
  return {
    push,
    read,
    received,
    last: () => kept.at(-1),
    more: (from) => (end() > from ? Promise.resolve() : waitIn(readers)),
    room: () => (end() - receivedTo < UNRECEIVED_MAX ? Promise.resolve() : waitIn(writers)),
    wake: () => {
      callAll(readers);
      callAll(writers);
    },
  };
}

const note = (text: string): Signal => ({ kind: "unknown", text });

const waitIn = (waiting: Set<() => void>): Promise<void> =>
  new Promise((resolve) => {
    waiting.add(resolve);
  });

function callAll(waiting: Set<() => void>): void {
  const woken = [...waiting];
  waiting.clear();
  for (const wake of woken) wake();
}
