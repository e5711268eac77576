import { childScope, iterationScope, keyOf, keyText, recordName, type BodyKind } from "../model/body-key.ts";
import type { BodyRecord, BodyScope } from "../model/body-state.ts";
import { durationMs, type Duration } from "../model/duration.ts";
import { Fault } from "../model/fault.ts";
import type {
  Body,
  BudgetHandle,
  Iterate,
  Run,
  SpawnOptions,
  StepContext,
  StepOptions,
  Waited,
} from "./body.ts";
import { divergedFault, isStop, recordedError } from "./body-error.ts";
import type { BodyLife } from "./body-life.ts";
import { asJson, inputMark } from "./json-value.ts";
import { OpenCalls } from "./open-calls.ts";
import { checkInside, runInside } from "./scope-guard.ts";
import { doLoop } from "./do-loop.ts";
import { doStep } from "./do-step.ts";

const DEPTH_MAX = 4;
const CHILDREN_MAX = 10_000;

/**
 * One scope of a body: the run, a child, or an iteration of a loop. What was recorded under a name is answered from
 * there; what was not is done and then recorded. Names are used once per scope and life.
 */
export class Scope implements Run {
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly #life: BodyLife;
  readonly #path: readonly string[];
  readonly #depth: number;
  readonly #asked = new Set<string>();
  readonly #counts = new Map<BodyKind, number>();
  readonly #calls = new OpenCalls();
  #children = 0;

  constructor(life: BodyLife, path: readonly string[], depth: number) {
    this.#life = life;
    this.#path = path;
    this.#depth = depth;
    this.runId = life.run;
    this.signal = life.signal;
  }

  get budget(): BudgetHandle {
    return this.#life.budget(this.#path);
  }

  step<Value>(
    name: string,
    work: (step: StepContext) => Value | Promise<Value>,
    options: StepOptions<Value> = {},
  ): Promise<Value> {
    return this.#calls.track(`step "${name}"`, () => this.#step(name, work, options));
  }

  async #step<Value>(
    name: string,
    work: (step: StepContext) => Value | Promise<Value>,
    options: StepOptions<Value>,
  ): Promise<Value> {
    const { key, record } = this.#ask("step", name);
    if (record?.kind === "value") return record.value as Value;
    if (record?.kind === "error") throw this.#life.failure(key, record.error);
    await this.#life.afford();
    return doStep(this.#life, { key, work, options, intended: record !== undefined });
  }

  loop<State>(name: string, initial: State, iterate: Iterate<State>): Promise<State> {
    return this.#calls.track(`loop "${name}"`, () => this.#loop(name, initial, iterate));
  }

  async #loop<State>(name: string, initial: State, iterate: Iterate<State>): Promise<State> {
    const { key, recorded } = this.#ask("loop", name);
    return doLoop(this.#life, {
      key,
      name,
      initial,
      record: () => this.#records()?.records[recorded],
      iterate: (state, i) =>
        this.#inside([...this.#path, iterationScope(recorded, i)], this.#depth, (it) =>
          iterate(state, i, it),
        ),
    });
  }

  spawn<Input, Value>(
    name: string,
    child: Body<Input, Value>,
    input: Input,
    options: SpawnOptions = {},
  ): Promise<Value> {
    return this.#calls.track(`child "${name}"`, () => this.#spawn(name, child, input, options));
  }

  async #spawn<Input, Value>(
    name: string,
    child: Body<Input, Value>,
    input: Input,
    options: SpawnOptions,
  ): Promise<Value> {
    const { key, record, recorded } = this.#ask("spawn", name);
    if (record?.kind === "value") return record.value as Value;
    if (record?.kind === "error") throw this.#life.failure(key, record.error);
    this.#checkRoom(name);
    const given = asJson(input, `the input of "${name}"`);
    const mark = inputMark(given);
    if (record?.kind === "spawned" && record.input !== mark)
      throw divergedFault(
        this.runId,
        `the child "${name}" with another input`,
        `asks for it with ${JSON.stringify(given).slice(0, 100)}`,
      );
    const first = record?.kind === "spawned" ? record.attempt : 1;
    for (let attempt = first; ; attempt += 1) {
      if (record === undefined || attempt > first)
        this.#life.note({ type: "BodySpawned", data: { key, input: mark, attempt } });
      const path = [...this.#path, childScope(recorded, attempt)];
      try {
        const value = asJson(
          await this.#inside(path, this.#depth + 1, (run) => child(run, given)),
          `the result of "${name}"`,
        );
        await this.#life.commit([{ type: "BodyChildEnded", data: { key, ended: { kind: "value", value } } }]);
        return value;
      } catch (error) {
        if (isStop(error) || this.signal.aborted) throw error;
        if (attempt <= (options.restarts ?? 0)) continue;
        const ended = { kind: "error", error: recordedError(error) } as const;
        await this.#life.commit([{ type: "BodyChildEnded", data: { key, ended } }]);
        throw this.#life.failure(key, ended.error, error);
      }
    }
  }

  sleep(duration: Duration): Promise<void> {
    return this.#calls.track(`sleep(${JSON.stringify(duration)})`, () => this.#sleep(duration));
  }

  async #sleep(duration: Duration): Promise<void> {
    const { key, record } = this.#askNumbered("sleep");
    const until = record?.kind === "slept" ? record.until : this.#life.now() + durationMs(duration);
    if (record === undefined) await this.#life.commit([{ type: "BodySlept", data: { key, until } }]);
    await this.#life.until(until);
  }

  waitFor<Value = unknown>(
    name: string,
    options: { readonly timeout?: Duration } = {},
  ): Promise<Waited<Value>> {
    return this.#calls.track(`waitFor("${name}")`, () => this.#waitFor(name, options));
  }

  async #waitFor<Value>(name: string, options: { readonly timeout?: Duration }): Promise<Waited<Value>> {
    const { key, record } = this.#ask("wait", name);
    if (record?.kind === "waited")
      return record.timedOut ? { timedOut: true } : { value: record.value as Value };
    const until =
      record?.kind === "waiting"
        ? record.until
        : options.timeout === undefined
          ? null
          : this.#life.now() + durationMs(options.timeout);
    if (record === undefined) await this.#life.commit([{ type: "BodyWaited", data: { key, name, until } }]);
    return (await this.#life.signalled(key, name, until)) as Waited<Value>;
  }

  now(): number {
    return this.#draw("now", () => this.#life.now()) as number;
  }

  random(): number {
    return this.#draw("random", () => this.#life.chance()) as number;
  }

  id(): string {
    return this.#draw("id", () => this.#life.newId()) as string;
  }

  /** Told once: in a life that only answers from the journal nothing is said again. */
  log(text: string): void {
    if (!this.#isReplaying())
      this.#life.note({ type: "BodyLogged", data: { scope: this.#path.join("/"), text } });
  }

  /** Carries out what belongs to this scope. It ends with all its calls, and having asked for all that is recorded. */
  async enter<Value>(work: (scope: Run) => Value | Promise<Value>): Promise<Value> {
    try {
      const value = await runInside(this.#path, () => work(this));
      this.#calls.checkNone(
        this.#path.length === 0 ? `the body of ${this.runId}` : keyText(this.#path.join("/")),
      );
      this.#checkAllAsked();
      return value;
    } finally {
      this.#calls.abandon();
    }
  }

  /** Recorded names that the body did not ask for this time: it took another way. */
  #checkAllAsked(): void {
    const left = Object.keys(this.#records()?.records ?? {}).find((name) => !this.#asked.has(name));
    if (left !== undefined)
      throw divergedFault(this.runId, `"${left.replace(":", " ")}"`, "ended without asking for it");
  }

  #isReplaying(): boolean {
    return Object.keys(this.#records()?.records ?? {}).some((name) => !this.#asked.has(name));
  }

  #inside<Value>(
    path: readonly string[],
    depth: number,
    work: (scope: Run) => Value | Promise<Value>,
  ): Promise<Value> {
    return new Scope(this.#life, path, depth).enter(work);
  }

  #records(): BodyScope | undefined {
    let scope: BodyScope | undefined = this.#life.root;
    for (const part of this.#path) scope = scope?.scopes[part];
    return scope;
  }

  #ask(kind: BodyKind, name: string): { key: string; recorded: string; record: BodyRecord | undefined } {
    this.#life.check();
    checkInside(this.#path, `${kind}("${name}")`);
    const recorded = recordName(kind, name);
    if (this.#asked.has(recorded))
      throw new Fault(
        "usage",
        `the name "${name}" is used twice for a ${kind} in one scope of ${this.runId}; names tell recorded things apart: use another`,
      );
    this.#asked.add(recorded);
    const records = this.#records()?.records ?? {};
    const record = records[recorded];
    if (record === undefined) this.#checkKind(kind, name, records);
    return { key: keyOf(this.#path, recorded), recorded, record };
  }

  /** The same name, recorded for something else that was not asked for: the body has changed. */
  #checkKind(kind: BodyKind, name: string, records: Readonly<Record<string, BodyRecord>>): void {
    for (const other of ["step", "spawn", "loop", "wait"] as const) {
      const recorded = recordName(other, name);
      if (other !== kind && Object.hasOwn(records, recorded) && !this.#asked.has(recorded))
        throw divergedFault(this.runId, `${other} "${name}"`, `asks for ${kind} "${name}"`);
    }
  }

  #askNumbered(kind: BodyKind): { key: string; record: BodyRecord | undefined } {
    const count = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, count + 1);
    const { key, record } = this.#ask(kind, String(count));
    return { key, record };
  }

  #draw(kind: "now" | "random" | "id", draw: () => string | number): string | number {
    const { key, record } = this.#askNumbered(kind);
    if (record?.kind === "drew") return record.value;
    const value = draw();
    this.#life.note({ type: "BodyDrew", data: { key, value } });
    return value;
  }

  #checkRoom(name: string): void {
    this.#children += 1;
    if (this.#depth >= DEPTH_MAX)
      throw new Fault(
        "usage",
        `the child "${name}" would be ${String(this.#depth + 1)} deep; at most ${String(DEPTH_MAX)} are allowed`,
      );
    if (this.#children > CHILDREN_MAX)
      throw new Fault(
        "usage",
        `the child "${name}" would be number ${String(this.#children)} of its scope; at most ${String(CHILDREN_MAX)} are allowed`,
      );
  }
}
