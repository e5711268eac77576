import type { Signal } from "../src/model/signals.ts";

export interface ScriptLine {
  readonly afterMs: number;
  readonly signal: Signal;
}

type Behaviour = (chance: () => number) => Signal[];

const said = (text: string): Signal => ({ kind: "message", from: "agent", text });
const DONE: Signal = { kind: "result", ok: true, text: "done" };
const exit = (code: number): Signal => ({ kind: "exit", how: "code", code });
const work = (chance: () => number): Signal[] => [
  { kind: "ready" },
  ...Array.from({ length: Math.floor(chance() * 5) }, (_, index): Signal => ({
    kind: "progress",
    text: `part ${String(index)}`,
  })),
  { kind: "usage", tokensIn: Math.floor(chance() * 1_000), tokensOut: 100, usd: 0.01 },
];

/** One vice each. Agents that never end are ended by their limits. */
const MISBEHAVIOURS: readonly Behaviour[] = [
  /** crashes */ (chance) => [
    ...work(chance),
    { kind: "error", text: `line ${String(Math.floor(chance() * 99))}`, terminal: false },
    exit(1),
  ],
  /** is killed */ (chance) => [...work(chance), { kind: "exit", how: "signal", signal: "SIGKILL" }],
  /** vanishes after having claimed success */ (chance) => [
    ...work(chance),
    DONE,
    { kind: "exit", how: "vanished" },
  ],
  /** hangs */ (chance) => work(chance),
  /** never says a word */ () => [],
  /** babbles */ (chance) => [
    { kind: "ready" },
    ...Array.from({ length: 60 }, (_, index) => said(`word ${String(index)}`)),
    ...work(chance),
    DONE,
    exit(0),
  ],
  /** says nothing of success */ (chance) => [...work(chance), exit(0)],
  /** claims success and fails */ (chance) => [...work(chance), DONE, exit(1)],
  /** says that it failed */ (chance) => [
    ...work(chance),
    { kind: "result", ok: false, text: "could not" },
    exit(0),
  ],
  /** has bad credentials */ (chance) => [
    ...work(chance),
    { kind: "error", text: "bad key", terminal: true },
    exit(1),
  ],
  /** prints garbage */ (chance) => [{ kind: "unknown", text: "%$§" }, ...work(chance), DONE, exit(0)],
];

/** What an agent will say and when. Slow starts and long thoughts happen to honest ones as well. */
export function drawScript(chance: () => number, misbehaves: number): ScriptLine[] {
  const vice = chance() < misbehaves ? MISBEHAVIOURS[Math.floor(chance() * MISBEHAVIOURS.length)] : undefined;
  const signals = vice === undefined ? [...work(chance), DONE, exit(0)] : vice(chance);
  let afterMs = chance() < 0.1 ? chance() * 170_000 : chance() * 5_000;
  return signals.map((signal) => {
    afterMs += chance() < 0.2 ? chance() * 240_000 : chance() * 20_000;
    return { afterMs, signal };
  });
}
