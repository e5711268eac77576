import assert from "node:assert/strict";
import { evolve } from "../../src/fold/evolve.ts";
import type { EffectOutcome } from "../../src/model/effects/effect-outcome.ts";
import type { EventData, EventType, RunEvent } from "../../src/model/events/events.ts";
import { resolveFlow, writtenFlowSchema, writtenOut } from "../../src/model/flow/flow-file.ts";
import { flowProblems } from "../../src/model/flow/flow-problems.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../src/model/settings/settings.ts";
import { takeTurn } from "../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../model/example-events.ts";

export const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

/** Failed for good, or dropped because of that. */
const isGivenUp = (status: string | undefined): boolean => status === "failed" || status === "dropped";

/** A run of a flow as it is written, judged as it is in earnest, on agents and files that do what a test says. */
export class FlowRun {
  readonly state: RunState;
  readonly events: RunEvent[] = [];
  #now = 1_000;

  constructor(written: unknown, settings: unknown = {}) {
    const { flow, problems } = resolveFlow(writtenFlowSchema.parse(writtenOut(written)), "dev");
    assert.deepEqual(problems, []);
    assert.deepEqual(flowProblems(flow, { dev: EXAMPLES.RunCreated.agents["dev"] ?? { use: "demo" } }), []);
    const data = { ...EXAMPLES.RunCreated, flow, settings: runSettingsSchema.parse(settings) };
    this.state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
    this.turn([]);
  }

  turn(received: RunEvent[], afterMs = 1_000): RunEvent[] {
    this.#now += afterMs;
    const events = takeTurn(this.state, received, this.#now);
    this.events.push(...events);
    return events;
  }

  settle(kind: string, outcome: EffectOutcome): RunEvent[] {
    const key = Object.keys(this.state.effects).find((name) => name.includes(kind));
    assert.ok(key !== undefined, `no ${kind} is under way: ${Object.keys(this.state.effects).join(", ")}`);
    return this.turn([{ type: "EffectSettled", data: { key, outcome } }]);
  }

  get live(): string[] {
    return Object.values(this.state.attempts).map(({ step }) => step);
  }

  get statuses(): Record<string, string> {
    return Object.fromEntries(Object.entries(this.state.steps).map(([name, { status }]) => [name, status]));
  }

  /** The attempt of a step at work ends: well, or saying that it cannot. */
  end(step: string, ok = true): RunEvent[] {
    const attempt = this.state.steps[step]?.live ?? "";
    const key = `${attempt}/StartAgent`;
    if (Object.hasOwn(this.state.effects, key))
      this.turn([{ type: "EffectSettled", data: { key, outcome: { kind: "done" } } }]);
    const signals: EventData<"SignalsHeard">["signals"] = ok
      ? [
          { kind: "result", ok: true, text: "done" },
          { kind: "exit", how: "code", code: 0 },
        ]
      : [
          { kind: "result", ok: false, text: "cannot" },
          { kind: "exit", how: "code", code: 0 },
        ];
    return this.turn([{ type: "SignalsHeard", data: { attempt, cursor: "9", signals } }]);
  }

  /** A step at work fails as often as it may. */
  fail(step: string): void {
    for (let tries = 0; tries < 10 && !isGivenUp(this.statuses[step]); tries += 1) {
      if (this.state.steps[step]?.live === null) this.turn([], 3_600_000);
      else this.end(step, false);
    }
    assert.ok(isGivenUp(this.statuses[step]), this.statuses[step]);
  }

  /** What a step was to deliver is there, with these values in it. */
  deliver(values: Record<string, unknown>, path = "out.json"): RunEvent[] {
    const artifact = { path, digest: "aa".repeat(32), bytes: 9, values };
    return this.settle("CollectOutputs", { kind: "done", outputs: { artifacts: [artifact], problems: [] } });
  }
}
