import type { Restarts } from "../../model/host/supervision.ts";
import type { Liveness } from "../../model/world.ts";

/** What one of two processes that watch each other was just shown of the other. */
export interface PeerSight {
  /** Who holds the lease that is watched; null for nobody. */
  readonly owner: string | null;
  /** How often the holder's loop has come round; only its change means anything. */
  readonly beats: number;
  /** Its process; `none` where nobody holds the lease. */
  readonly process: Liveness | "none";
}

/** What is remembered from look to look. */
export interface PeerMemory {
  readonly lookedAt: number;
  readonly owner: string | null;
  readonly beats: number;
  /** Time that passed under our eyes without a beat. Time that was slept through is not counted. */
  readonly silentMs: number;
  /** Beats seen of this holder: a few are the proof that a start has helped. */
  readonly beatsSeen: number;
  /** Since when it is being ended; null while it is not. */
  readonly endingSince: number | null;
  /** Since when nobody is there; null while somebody is, or may be. */
  readonly missingSince: number | null;
  /** Since when this holder is seen to live. */
  readonly aliveSince: number | null;
  /** Starts in a row that were not proved to have helped, and when the next is due at the earliest. */
  readonly starts: number;
  readonly startNotBefore: number;
}

export interface PeerLimits {
  /** The default time between two looks. */
  readonly lookMs: number;
  /** So long without a beat, and it is ended. */
  readonly silentMs: number;
  /** So long after it was asked to end, it is ended firmly. */
  readonly graceMs: number;
  /** How long somebody else is given to replace one that died, and one that let go without a word. */
  readonly goneMs: number;
  readonly releasedMs: number;
}

export type PeerAct = "nothing" | "end" | "end_firmly" | "start";

/** Waits between starts that brought nobody: the first comes at once. */
const START_WAIT_MS = 30_000;
const START_WAIT_MS_MAX = 300_000;
/** Waits after deaths in a row of those that were started and soon died: the first is replaced at once. */
const DEATH_WAIT_MS = 1_000;
/** So many beats and so long a time alive are the proof that a start has helped. */
const BEATS_OF_PROOF = 3;
const PROOF_MS = 60_000;

/** `starts`: those that a predecessor of the watcher has written down. */
export const newPeerMemory = (now: number, starts = 0): PeerMemory => ({
  lookedAt: now,
  owner: null,
  beats: 0,
  silentMs: 0,
  beatsSeen: 0,
  endingSince: null,
  missingSince: null,
  aliveSince: null,
  starts,
  startNotBefore: -Infinity,
});

/**
 * Assesses a process by the progress of its loop. That its pid lives proves nothing: a stopped process and one in an
 * endless loop live too. A process that is gone is replaced at once; one whose state cannot be determined is left alone
 * (I6).
 */
export function decidePeer(
  before: PeerMemory,
  sight: PeerSight,
  limits: PeerLimits,
  now: number,
): { readonly memory: PeerMemory; readonly act: PeerAct } {
  const memory = remember(before, sight, limits, now);
  switch (sight.process) {
    case "gone":
      return start(memory, limits.goneMs, now);
    case "none":
      return start(memory, limits.releasedMs, now);
    case "unknown":
      return { memory, act: "nothing" };
    case "alive":
      return decideLiving(memory, limits, now);
  }
}

function remember(before: PeerMemory, sight: PeerSight, { lookMs }: PeerLimits, now: number): PeerMemory {
  // A machine that slept, or a clock that was set, must not look like silence.
  const passedMs = Math.max(0, Math.min(now - before.lookedAt, 2 * lookMs));
  const isSame = sight.owner === before.owner;
  const hasBeaten = !isSame || sight.beats !== before.beats;
  const beatsSeen = isSame ? before.beatsSeen + (hasBeaten ? 1 : 0) : 0;
  const isAlive = sight.process === "alive";
  const aliveSince = isAlive ? ((isSame ? before.aliveSince : null) ?? now) : before.aliveSince;
  const isProved = beatsSeen >= BEATS_OF_PROOF && isAlive && now - (aliveSince ?? now) >= PROOF_MS;
  // The one that came shows that the start has brought somebody: what is waited for now is recognised by its death.
  const hasCome = isAlive && (!isSame || before.aliveSince === null);
  return {
    lookedAt: now,
    owner: sight.owner,
    beats: sight.beats,
    silentMs: hasBeaten ? 0 : before.silentMs + passedMs,
    beatsSeen,
    endingSince: isSame ? before.endingSince : null,
    missingSince: sight.process === "gone" || sight.process === "none" ? (before.missingSince ?? now) : null,
    aliveSince,
    starts: isProved ? 0 : before.starts,
    startNotBefore: isProved || hasCome ? -Infinity : before.startNotBefore,
  };
}

function decideLiving(memory: PeerMemory, limits: PeerLimits, now: number) {
  const { endingSince, silentMs } = memory;
  if (endingSince !== null)
    return { memory, act: now - endingSince >= limits.graceMs ? "end_firmly" : "nothing" } as const;
  if (silentMs < limits.silentMs) return { memory, act: "nothing" } as const;
  return { memory: { ...memory, endingSince: now }, act: "end" } as const;
}

function start(memory: PeerMemory, patienceMs: number, now: number) {
  if (now < nextStartAt(memory, patienceMs, now)) return { memory, act: "nothing" } as const;
  const waitMs = Math.min(START_WAIT_MS * 2 ** memory.starts, START_WAIT_MS_MAX);
  const starts = memory.starts + 1;
  const next = {
    ...memory,
    starts,
    startNotBefore: now + waitMs,
    endingSince: null,
    beatsSeen: 0,
    aliveSince: null,
  };
  return { memory: next, act: "start" } as const;
}

/** When another one is started, if nobody comes before. */
function nextStartAt(
  { missingSince, startNotBefore, starts, aliveSince }: PeerMemory,
  patienceMs: number,
  now: number,
): number {
  const deathMs =
    starts === 0 || aliveSince === null ? 0 : Math.min(DEATH_WAIT_MS * 2 ** (starts - 1), START_WAIT_MS_MAX);
  return Math.max(startNotBefore, (missingSince ?? now) + Math.max(patienceMs, deathMs));
}

/** How restarts stand, for people; null where nothing is to be said. */
export function restartsOf(memory: PeerMemory, { goneMs }: PeerLimits, now: number): Restarts | null {
  if (memory.starts === 0) return null;
  const nextAt = memory.missingSince === null ? null : nextStartAt(memory, goneMs, now);
  return { inARow: memory.starts, nextAt };
}
