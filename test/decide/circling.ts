import { toSignal } from "../../src/agents/to-signal.ts";
import { nextDeadline } from "../../src/decide/dispatch/deadlines.ts";
import { evolve } from "../../src/fold/evolve.ts";
import type { Effect } from "../../src/model/effects/effects.ts";
import type { EffectOutcome } from "../../src/model/effects/effect-outcome.ts";
import type { EventData, EventType, RunEvent } from "../../src/model/events/events.ts";
import type { AgentSpec } from "../../src/model/flow/flow.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../src/model/settings/settings.ts";
import { takeTurn } from "../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../model/example-events.ts";

export const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

/** A run whose agent goes round in circles: it answers each word, and each effect succeeds. */
export class Circling {
  readonly state: RunState;
  readonly events: RunEvent[] = [];
  now = 1_000;
  loops = true;
  /** Its context is full, no matter what it does. */
  full = false;
  /** It says nothing more. */
  silent = false;
  /** Outcomes that are not plain success; null for one that does not come. */
  answers: Partial<Record<Effect["kind"], EffectOutcome | null>> = {};
  /** What an effect comes to; undefined: plain success. */
  answer: (effect: Effect) => EffectOutcome | undefined = () => undefined;
  /** What an agent says that is being ended. */
  onEnd: readonly unknown[] = [{ kind: "exit", how: "signal", signal: "SIGTERM" }];

  constructor(
    dev: AgentSpec,
    settings: object = {},
    others: Record<string, AgentSpec> = {},
    checks: readonly { readonly run: string }[] = [],
    more: Partial<EventData<"RunCreated">> = {},
  ) {
    const { flow } = EXAMPLES.RunCreated;
    const data = {
      ...EXAMPLES.RunCreated,
      flow: { ...flow, steps: flow.steps.map((step) => ({ ...step, checks: [...checks] })) },
      agents: { dev, ...others },
      settings: runSettingsSchema.parse(settings),
      ...more,
    };
    this.state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
    this.turn([]);
  }

  turn(received: readonly RunEvent[], now = this.now): void {
    this.now = now;
    this.events.push(...takeTurn(this.state, received, now));
    for (const [key, effect] of Object.entries(this.state.effects)) {
      const own = this.answer(effect) ?? outcomeOf(effect);
      const outcome = this.answers[effect.kind] === undefined ? own : this.answers[effect.kind];
      if (outcome === null || outcome === undefined) continue;
      this.events.push(...takeTurn(this.state, [{ type: "EffectSettled", data: { key, outcome } }], now));
      if (effect.kind === "EndAgent") this.receive(effect.attempt, this.onEnd);
    }
  }

  receive(attempt: string, signals: readonly unknown[]): void {
    const data = { attempt, cursor: "1", signals: signals.map(toSignal) };
    this.turn([{ type: "SignalsHeard", data }]);
  }

  /** Lets the agent work a while: five seconds for each call. */
  work(until: number): void {
    while (this.now < until && this.state.status === "running") {
      const [attempt] = Object.keys(this.state.attempts);
      if (attempt !== undefined && !this.silent)
        this.receive(attempt, [
          { kind: "tool_call", name: "bash", args: this.loops ? "ls" : `ls ${String(this.now)}` },
          {
            kind: "tool_result",
            name: "bash",
            ok: true,
            text: this.loops ? "a" : `news ${"x".repeat(this.now % 89)}`,
          },
          { kind: "conversation", id: "talk" },
          ...(this.full ? [{ kind: "context", usedPct: 97 }] : []),
        ]);
      const due = nextDeadline(this.state, this.now) ?? Infinity;
      this.turn([], Math.min(this.now + 5_000, Math.max(due, this.now + 1)));
    }
  }

  /** Until one more remedy is taken. */
  untilRemedy(): void {
    const before = this.remedies.length;
    while (this.remedies.length === before && this.state.status === "running") this.work(this.now + 1);
  }

  get remedies(): string[] {
    return only(this.events, "RemedyTaken").map(({ remedy, tryNumber }) => `${remedy}.${String(tryNumber)}`);
  }
}

/** Every effect succeeds. */
function outcomeOf(effect: Effect): EffectOutcome {
  if (effect.kind === "TakeCheckpoint")
    return {
      kind: "done",
      snapshot: { ...EXAMPLES.CheckpointTaken.snapshot, id: `snap-${effect.checkpoint}` },
    };
  if (effect.kind === "RestoreCheckpoint")
    return { kind: "done", restored: { before: "snap-before", written: 1, removed: 0, left: 0 } };
  return { kind: "done" };
}
