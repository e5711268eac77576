import { RESTARTS_KEPT } from "../../fold/program/evolve-program.ts";
import type { ProgramError } from "../../model/events/program-events.ts";
import { childScope } from "../../model/values/program-key.ts";
import { scopeAt, type ProgramRecord, type SpawnedRecord } from "../../model/state/program-state.ts";
import { durationMs } from "../../model/text/duration.ts";
import type { EventData, RunEvent } from "../../model/events/events.ts";
import { Fault, isFault } from "../../model/fault.ts";
import type { WorkflowFunction, Run, Settled, SpawnOptions } from "../workflow-function.ts";
import { divergedFault, isStop } from "../life/program-error.ts";
import { checkBudget } from "../check-run-options.ts";
import { asJson, inputMark } from "./json-value.ts";
import type { OpenScope } from "./open-scope.ts";

/** A child as it was asked for, and what the journal knows of it. */
export interface ChildOrder {
  readonly name: string;
  readonly child: WorkflowFunction<unknown>;
  readonly input: unknown;
  readonly options: SpawnOptions;
  readonly key: string;
  readonly recorded: string;
  readonly record: ProgramRecord | undefined;
}

/** Runs a workflow function in a scope of its own and sees to it that it asked for all that is recorded there. */
export type Enter = (scope: OpenScope, work: (run: Run) => unknown) => Promise<unknown>;

/**
 * One child, from its spawn to its end. States: under way; settled. It is settled once: by its own end, or by being
 * cancelled together with the sibling that failed. 1. The end is recorded before anybody is informed. 2. What an
 * attempt left running when it ended is informed and ignored from then on.
 */
export class ChildRun {
  readonly key: string;
  readonly #order: ChildOrder;
  readonly #outer: OpenScope;
  readonly #enter: Enter;
  /** The input as the journal would give it back. */
  readonly #given: unknown;
  readonly #mark: string;
  #inner: OpenScope | null = null;
  #isSettled = false;
  #isCancelled = false;

  constructor(outer: OpenScope, order: ChildOrder, enter: Enter) {
    checkOptions(order);
    this.key = order.key;
    this.#outer = outer;
    this.#order = order;
    this.#enter = enter;
    this.#given = asJson(order.input, `the input of "${order.name}"`);
    this.#mark = inputMark(this.#given);
    this.#checkInput();
  }

  /** One that is recorded with another input is another child, whether or not it is settled. */
  #checkInput(): void {
    const { record, name } = this.#order;
    const recorded = recordedInput(record);
    if (recorded === undefined || recorded === this.#mark) return;
    const { life } = this.#outer;
    const asked = `asks for it with ${(JSON.stringify(this.#given) ?? "undefined").slice(0, 100)}`;
    const known = `the child "${name}" with another input`;
    throw life.diverge(divergedFault(life.run, { key: this.key, recorded: known, asked }));
  }

  /** The recorded end, if there is one. */
  get known(): Settled<unknown> | null {
    const { record } = this.#order;
    if (record?.kind === "value") return { value: record.value };
    return record?.kind === "error" ? { error: this.#outer.life.failures.of(this.key, record.error) } : null;
  }

  /** It was ended together with a sibling: nothing that it still throws means anything. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Runs to the end. `alongside` gives what is to be recorded together with a failure. */
  async run(alongside: () => RunEvent[] = () => []): Promise<Settled<unknown>> {
    const { known } = this;
    const { options, record, name } = this.#order;
    // A sibling may have failed before this one began.
    if (this.#isCancelled) throw leftBehind(name);
    if (record?.kind === "value") return { value: await this.#outer.life.recorded(record) };
    if (known !== null) return known;
    const refused = this.#begin(record?.kind === "spawned" ? record : undefined);
    if (refused !== null) return this.#fail(refused, alongside);
    const paysItsTime = options.budget?.timeMs !== undefined;
    const pay = paysItsTime ? this.#outer.life.budget.clock.hold(this.#outer.path) : () => undefined;
    try {
      return await this.#attempts(alongside);
    } finally {
      pay();
    }
  }

  /** Ends it where it stands; gives what is to be recorded, or null if it is settled already. */
  cancel(): RunEvent | null {
    if (this.#isSettled || this.known !== null) return null;
    this.#isSettled = true;
    this.#isCancelled = true;
    const why = new Fault("cancelled", `"${this.#order.name}" was cancelled because a sibling failed`);
    this.#inner?.close(() => why);
    return endedEvent(this.key, { kind: "error", error: this.#outer.life.failures.record(why) });
  }

  /** Notes the spawn, with its reservation, unless it is recorded; answers why it cannot be begun. */
  #begin(before: SpawnedRecord | undefined): Fault | null {
    const { name, options } = this.#order;
    const { life, path } = this.#outer;
    const budget = options.budget === undefined ? undefined : checkBudget(options.budget, `"${name}"`);
    const reserves = budget !== undefined && life.budget.budgets[this.key] === undefined;
    if (before !== undefined && !reserves) return null;
    const refused = reserves ? life.budget.refusal(path, name, budget) : null;
    if (refused !== null) return refused;
    const attempt = before?.attempt ?? 1;
    const data = { key: this.key, input: this.#mark, attempt, ...(reserves ? { budget } : {}) };
    this.#outer.note({ type: "BodySpawned", data });
    return null;
  }

  async #attempts(alongside: () => RunEvent[]): Promise<Settled<unknown>> {
    const { record, recorded, child, name } = this.#order;
    for (let attempt = record?.kind === "spawned" ? record.attempt : 1; ; attempt += 1) {
      const inner = this.#outer.open(childScope(recorded, attempt));
      this.#inner = inner;
      let value: unknown;
      try {
        value = asJson(await this.#enter(inner, (run) => child(run, this.#given)), `the result of "${name}"`);
      } catch (error) {
        if (this.#isSettled || isStop(error) || this.#outer.isStopped) throw error;
        inner.close(() => leftBehind(name));
        if (!this.#mayRestart(error, attempt)) return this.#fail(error, alongside);
        await this.#restart(attempt + 1);
        continue;
      }
      if (this.#isSettled) throw leftBehind(name);
      this.#isSettled = true;
      const ended = this.#outer.commit([endedEvent(this.key, { kind: "value", value })]);
      inner.close(() => leftBehind(name));
      await ended;
      return { value };
    }
  }

  /** Restarts are counted by what is recorded, so a crash of the process neither forgets nor adds one. */
  #mayRestart(error: unknown, attempt: number): boolean {
    const { restarts = 0, within } = this.#order.options;
    // What is spent is spent: another attempt would end where this one did.
    if (isFault(error, "budget_exhausted")) return false;
    if (within === undefined) return attempt <= restarts;
    const since = this.#outer.life.now() - durationMs(within);
    return this.#restartTimes().filter((at) => at > since).length < restarts;
  }

  #restartTimes(): readonly number[] {
    const scope = scopeAt(this.#outer.life.state.program.root, this.#outer.path);
    const record = scope?.records[this.#order.recorded];
    return record?.kind === "spawned" ? (record.restartedAt ?? []) : [];
  }

  async #restart(attempt: number): Promise<void> {
    const { world } = this.#outer.life;
    world.crashPoint("loop.restart.before");
    const data = { key: this.key, input: this.#mark, attempt };
    await this.#outer.commit([{ type: "BodySpawned", data }]);
    world.crashPoint("loop.restart.after");
  }

  async #fail(error: unknown, alongside: () => RunEvent[]): Promise<Settled<unknown>> {
    this.#isSettled = true;
    const recorded: ProgramError = this.#outer.life.failures.record(error);
    await this.#outer.commit([endedEvent(this.key, { kind: "error", error: recorded }), ...alongside()]);
    return { error: this.#outer.life.failures.of(this.key, recorded, error) };
  }
}

/** The mark of the input that a child was begun with, as far as it is recorded. */
const recordedInput = (record: ProgramRecord | undefined): string | undefined =>
  record?.kind === "error"
    ? record.begun?.input
    : record?.kind === "spawned" || record?.kind === "value"
      ? record.input
      : undefined;

const endedEvent = (key: string, ended: EventData<"BodyChildEnded">["ended"]): RunEvent => ({
  type: "BodyChildEnded",
  data: { key, ended },
});

const leftBehind = (name: string): Fault =>
  new Fault("cancelled", `"${name}" has ended; what it left running is not recorded any more`);

function checkOptions({ name, options: { restarts = 0, within } }: ChildOrder): void {
  if (!Number.isInteger(restarts) || restarts < 0 || (within !== undefined && restarts > RESTARTS_KEPT))
    throw new Fault(
      "usage",
      `the child "${name}" has restarts: ${String(restarts)}; expected a whole number of 0 or more${within === undefined ? "" : `, and at most ${String(RESTARTS_KEPT)} within a time`}`,
    );
  if (within !== undefined) durationMs(within);
}
