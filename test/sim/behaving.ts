import { toSignal } from "../../src/agents/to-signal.ts";
import { nextDeadline } from "../../src/decide/dispatch/deadlines.ts";
import { evolve } from "../../src/fold/evolve.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../src/model/settings/settings.ts";
import { takeTurn } from "../../src/runtime/take-turn.ts";
import { word, type Act, type Behaviour } from "../../sim/agents/health-zoo.ts";
import { EXAMPLES } from "../model/example-events.ts";

/** A live run, judged as always, whose agent behaves as given until it is first helped or its time is over. */
export class Behaving {
  readonly state: RunState;
  readonly remedies: string[] = [];
  readonly stuckAs: (string | null)[] = [];
  now = 0;

  constructor(behaviour: Behaviour, forMs: number) {
    const settings = runSettingsSchema.parse({ attempts: { limitMs: 48 * 3_600_000 } });
    const data = { ...EXAMPLES.RunCreated, agents: { dev: { use: "acp" as const } }, settings };
    this.state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
    this.#turn([]);
    for (let round = 0; round < 6; round += 1) this.#act(honest(round));
    const end = this.now + forMs;
    for (const act of behaviour.acts()) {
      if (this.now + act.afterMs > end || this.remedies.length > 0) break;
      this.#act(act);
    }
    if (this.remedies.length === 0) this.#waitUntil(end);
  }

  /** Whether drivers tell of it; what only a look at the screen shows is for recordings. */
  static isReceived({ acts }: Behaviour): boolean {
    for (const { seen } of acts()) return seen === undefined;
    return true;
  }

  #act({ afterMs, signals = [] }: Act): void {
    this.#waitUntil(this.now + afterMs);
    const received = { attempt: "work#1", cursor: "1", signals: signals.map(toSignal) };
    this.#turn([{ type: "SignalsHeard", data: received }]);
  }

  #waitUntil(end: number): void {
    while (this.now < end) {
      const due = nextDeadline(this.state, this.now) ?? Infinity;
      this.now = Math.min(end, Math.max(due, this.now + 1));
      this.#turn([]);
    }
  }

  #turn(received: readonly RunEvent[]): void {
    this.#note(takeTurn(this.state, received, this.now));
    for (const key of Object.keys(this.state.effects)) {
      const settled = { key, outcome: { kind: "done" } } as const;
      this.#note(takeTurn(this.state, [{ type: "EffectSettled", data: settled }], this.now));
    }
  }

  #note(events: readonly RunEvent[]): void {
    for (const { type, data } of events) {
      if (type === "RemedyTaken") this.remedies.push(data.remedy);
      if (type === "HealthChanged" && data.state === "stuck") this.stuckAs.push(data.pattern);
    }
  }
}

const honest = (round: number): Act => ({
  afterMs: 10_000,
  signals: [
    { kind: "tool_call", name: "bash", args: `look at ${word(round + 5_000)}` },
    { kind: "tool_result", name: "bash", ok: true, text: `saw ${word(round + 5_000)}` },
  ],
});
