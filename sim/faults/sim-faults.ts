/**
 * How often each fault of the fault model (docs/fault-model.md) strikes: a chance per occasion.
 * The liveness phase runs with `NO_FAULTS`.
 */
export interface Faults {
  /** The process dies at a durable boundary. */
  readonly killAtPoint: number;
  /** The process dies at any instant: mean time between such deaths. */
  readonly meanLifeMs: number;
  /** The process stands still, as under SIGSTOP, for longer than a lease: mean time between. */
  readonly meanAwakeMs: number;
  readonly appendFails: number;
  /** The append happens, its answer does not arrive. */
  readonly answerLost: number;
  readonly slowDisk: number;
  readonly spawnRefused: number;
  readonly spawnThrows: number;
  readonly probeFails: number;
  readonly endFails: number;
  /** An agent that does not simply do its work. */
  readonly agentMisbehaves: number;
  /** The clock of a process jumps, forwards or back. */
  readonly clockJump: number;
  /** Mean time between things people ask. */
  readonly meanRequestMs: number;
  /** How often somebody who reads the inbox helps; 0 while people are away. */
  readonly peopleHelp: number;
  /** An agent says that it cannot go on without somebody. */
  readonly agentBlocked: number;
  readonly checkFails: number;
  /** A check that finds nothing out. */
  readonly checkUnknown: number;
  /** An agent changes protected files. */
  readonly tampering: number;
  readonly lookFails: number;
  readonly undoFails: number;
  /** Files cannot be kept or put back. */
  readonly keepFails: number;
  /** A notice does not arrive, and the sender hears so. */
  readonly noticeFails: number;
  /** A notice arrives, and the sender never hears of it. */
  readonly noticeUnheard: number;
  /** The receiver of notices is away for hours: mean time between. */
  readonly meanReachableMs: number;
  /** The account that agents share meets its limit: mean time between. */
  readonly meanOpenMs: number;
  /** All sessions die at once: mean time between. */
  readonly meanWholeMs: number;
  /** The repository that runs share breaks, so that all their setups and checks fail in the same way: mean time between. */
  readonly meanMendedMs: number;
}

const MINUTE = 60_000;

export const NO_FAULTS: Faults = {
  killAtPoint: 0,
  meanLifeMs: Infinity,
  meanAwakeMs: Infinity,
  appendFails: 0,
  answerLost: 0,
  slowDisk: 0,
  spawnRefused: 0,
  spawnThrows: 0,
  probeFails: 0,
  endFails: 0,
  agentMisbehaves: 0,
  clockJump: 0,
  meanRequestMs: Infinity,
  peopleHelp: 1,
  agentBlocked: 0,
  checkFails: 0,
  checkUnknown: 0,
  tampering: 0,
  lookFails: 0,
  undoFails: 0,
  keepFails: 0,
  noticeFails: 0,
  noticeUnheard: 0,
  meanReachableMs: Infinity,
  meanOpenMs: Infinity,
  meanWholeMs: Infinity,
  meanMendedMs: Infinity,
};

/** Each seed draws its own weather: some calm, some with much of one kind, some with everything. */
export function drawFaults(chance: () => number): Faults {
  const weather = chance();
  const scale = weather < 0.1 ? 0 : weather < 0.7 ? 1 : 4;
  const part = (most: number): number => (chance() < 0.3 ? 0 : most * chance() * scale);
  const mean = (shortest: number): number =>
    scale === 0 || chance() < 0.3 ? Infinity : (shortest * (1 + 9 * chance())) / scale;
  return {
    killAtPoint: part(0.02),
    meanLifeMs: mean(4 * MINUTE),
    meanAwakeMs: mean(8 * MINUTE),
    appendFails: part(0.01),
    answerLost: part(0.01),
    slowDisk: part(0.02),
    spawnRefused: part(0.05),
    spawnThrows: part(0.03),
    probeFails: part(0.2),
    endFails: part(0.1),
    agentMisbehaves: 0.15 + part(0.3),
    clockJump: part(0.01),
    meanRequestMs: mean(10 * MINUTE),
    peopleHelp: chance() < 0.4 ? 0 : chance(),
    agentBlocked: 0.05 + part(0.15),
    checkFails: 0.1 + part(0.3),
    checkUnknown: part(0.15),
    tampering: 0.1 + part(0.2),
    lookFails: part(0.1),
    undoFails: part(0.1),
    keepFails: part(0.1),
    noticeFails: part(0.3),
    noticeUnheard: part(0.1),
    meanReachableMs: mean(60 * MINUTE),
    meanOpenMs: mean(15 * MINUTE),
    meanWholeMs: mean(60 * MINUTE),
    meanMendedMs: mean(40 * MINUTE),
  };
}
