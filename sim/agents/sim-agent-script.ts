import { BLOCKED_REASONS, isApproval } from "../../src/model/requests/blocked.ts";
import type { FailureClass } from "../../src/model/agent/failure.ts";
import type { ErrorSignal, Signal } from "../../src/model/agent/signals.ts";

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

/** What providers say when they refuse, and what it is: told here once more, apart from the judgement. */
export const PROVIDER_ERRORS: readonly (readonly [ErrorSignal, FailureClass])[] = [
  [{ kind: "error", text: "simulated: who are you?", terminal: false, status: 401 }, "terminal"],
  [{ kind: "error", text: "simulated: not yours", terminal: false, status: 403 }, "terminal"],
  [{ kind: "error", text: "simulated: no such model", terminal: false, code: "model_not_found" }, "terminal"],
  [{ kind: "error", text: "simulated: slow down", terminal: false, status: 429 }, "rate_limited"],
  [{ kind: "error", text: "simulated: come back", terminal: false, status: 503 }, "transient"],
  [{ kind: "error", text: "simulated: cut off", terminal: false, code: "ECONNRESET" }, "transient"],
  [
    { kind: "error", text: "simulated: too much", terminal: false, status: 500, code: "overloaded_error" },
    "transient",
  ],
];

const oneOf = <Item>(items: readonly Item[], chance: () => number): Item =>
  items[Math.floor(chance() * items.length)] as Item;

/** One vice each. Agents that never end are ended by their limits. */
const MISBEHAVIOURS: readonly Behaviour[] = [
  /** crashes */ (chance) => [
    ...work(chance),
    { kind: "error", text: `line ${String(Math.floor(chance() * 99))}`, terminal: false },
    exit(1),
  ],
  /** is killed */ (chance) => [...work(chance), { kind: "exit", how: "signal", signal: "SIGKILL" }],
  /** vanishes, now and then after having claimed success */ (chance) => {
    const before = work(chance);
    return [...before, ...(before.length % 2 === 0 ? [DONE] : []), { kind: "exit", how: "vanished" }];
  },
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
  /** is refused by its provider */ (chance) => [...work(chance), oneOf(PROVIDER_ERRORS, chance)[0], exit(1)],
  /** fails in the same way each time */ () => [
    { kind: "ready" },
    { kind: "error", text: "simulated: the same again", terminal: false },
    exit(1),
  ],
  /** goes round in circles */ () => [
    { kind: "ready" },
    ...Array.from({ length: 40 }, (): Signal[] => [
      { kind: "tool_call", name: "bash", args: "ls" },
      { kind: "tool_result", name: "bash", ok: true, text: "a b" },
    ]).flat(),
  ],
  /** prints garbage */ (chance) => [{ kind: "unknown", text: "%$§" }, ...work(chance), DONE, exit(0)],
];

/** What an agent does that has asked for somebody: goes on, asks again, waits for ever, or leaves. */
const AFTER_ASKING: readonly Behaviour[] = [
  (chance) => [...work(chance), DONE, exit(0)],
  (chance) => [...work(chance), asks(chance), ...work(chance), DONE, exit(0)],
  () => [],
  () => [DONE, exit(0)],
  () => [exit(0)],
  () => [exit(1)],
];

/** Any reason there is; approvals have a state of their own and come often. */
const asks = (chance: () => number): Signal => {
  const reason = oneOf(chance() < 0.25 ? BLOCKED_REASONS.filter(isApproval) : BLOCKED_REASONS, chance);
  return { kind: "blocked", reason, text: `simulated: ${reason}` };
};

/** What an agent will say and when. Slow starts and long thoughts happen to honest ones as well. */
export function drawScript(chance: () => number, misbehaves: number, blocked: number): ScriptLine[] {
  const vice = chance() < misbehaves ? oneOf(MISBEHAVIOURS, chance) : null;
  const signals =
    chance() < blocked
      ? [...work(chance), asks(chance), ...oneOf(AFTER_ASKING, chance)(chance)]
      : vice === null
        ? [...work(chance), DONE, exit(0)]
        : vice(chance);
  let afterMs = chance() < 0.1 ? chance() * 170_000 : chance() * 5_000;
  return signals.map((signal) => {
    afterMs += chance() < 0.2 ? chance() * 240_000 : chance() * 20_000;
    return { afterMs, signal };
  });
}
