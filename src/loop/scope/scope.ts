import { iterationScope, keyText } from "../../model/values/program-key.ts";
import { scopeAt, scopesAround, type ProgramScope } from "../../model/state/program-state.ts";
import { durationMs, type Duration } from "../../model/text/duration.ts";
import type { Jsonify } from "../../model/values/jsonify.ts";
import type {
  WorkflowFunction,
  BudgetHandle,
  GroupOptions,
  Iterate,
  LoopState,
  Run,
  SpawnOptions,
  StepContext,
  StepOptions,
  Waited,
} from "../workflow-function.ts";
import { iterationOver } from "../life/program-error.ts";
import { checkLoop, checkNamed, checkSpawn, checkText, checkWait } from "../check-run-options.ts";
import { ChildRun } from "./child-run.ts";
import { doLoop } from "./do-loop.ts";
import { doStep } from "./do-step.ts";
import { OpenCalls, type OpenCall } from "./open-calls.ts";
import type { ProcessLifetime, OpenScope } from "./open-scope.ts";
import { repairFrom } from "../repair-from-journal.ts";
import type { RepairedMessages } from "../repair/repair-messages.ts";
import type { MessageShape } from "../repair/repair.ts";
import { isInStep, runInside } from "./scope-guard.ts";
import { ScopeNames, type AskedFor, type Gate } from "./scope-names.ts";
import { NO_OPTIONS, checkStep } from "./step-policy.ts";
import { membersOf, runGroup, type GroupMember } from "./spawn-all.ts";
import { checkRoom } from "../life/tree-limits.ts";

/**
 * One scope of a workflow function: the run, a child, or an iteration of a loop. What was recorded under a name is
 * answered from there; what was not is done and then recorded. Names are used once per scope and life.
 */
export class Scope implements Run {
  readonly runId: string;
  readonly #life: ProcessLifetime;
  readonly #path: readonly string[];
  readonly #depth: number;
  readonly #open: OpenScope;
  readonly #names: ScopeNames;
  readonly #calls: OpenCalls;
  readonly #spendsKnown: number;
  #spends = 0;
  #children = 0;

  constructor(open: OpenScope, depth: number, around: Gate | null = null) {
    this.#open = open;
    this.#life = open.life;
    this.#path = open.path;
    this.#depth = depth;
    this.runId = open.life.run;
    const known = this.#records();
    this.#spendsKnown = known?.spends ?? 0;
    this.#names = new ScopeNames(open, known, around);
    this.#calls = new OpenCalls(() => {
      open.answer();
    });
  }

  get signal(): AbortSignal {
    return this.#open.signal;
  }

  get budget(): BudgetHandle {
    return this.#life.budget.handle(this.#path, ({ tokens = 0, usd = 0 }) => {
      // The work of a step is not done again once it is recorded; the workflow function says everything again.
      const isSaidOnce = isInStep(this.#path) || this.#open.isCleaningUp;
      const n = isSaidOnce ? undefined : this.#spends++;
      if (n !== undefined && n < this.#spendsKnown) return;
      const data = { scope: this.#path.join("/"), tokens, usd, iterations: 0 };
      this.#open.note({ type: "BodySpent", data: n === undefined ? data : { ...data, n } });
    });
  }

  step<Value>(
    name: string,
    work: (step: StepContext) => Value | Promise<Value>,
    options: StepOptions<Value> = NO_OPTIONS,
  ): Promise<Jsonify<Value>> {
    const call = this.#calls.begin(`step "${name}"`);
    const promise = this.#step(call, name, work, options);
    call.promise = promise;
    return promise as Promise<Jsonify<Value>>;
  }

  async #step<Value>(
    call: OpenCall,
    name: string,
    work: (step: StepContext) => Value | Promise<Value>,
    options: StepOptions<Value>,
  ): Promise<Value> {
    try {
      checkStep(name, work, options);
      const open = this.#open.forStep();
      const asked = this.#names.ask("step", name, open);
      const { key, record } = asked;
      if (record?.kind === "value") return (await this.#life.recorded(record)) as Value;
      if (record?.kind === "error") throw this.#life.failures.of(key, record.error);
      // What cleans up is bounded by its time, and waits for nothing.
      if (open === this.#open) {
        if (this.#names.mustHold(asked)) await this.#names.hold(asked);
        if (!this.#life.affords(open, "step")) await this.#life.afford(open, "step");
      }
      return await doStep(open, { key, work, options, record });
    } catch (error) {
      this.#open.answer();
      throw error;
    } finally {
      this.#calls.end(call);
    }
  }

  loop<State>(name: string, initial: State, iterate: Iterate<NoInfer<State>>): Promise<LoopState<State>> {
    return this.#calls.track(`loop "${name}"`, async () => {
      checkLoop(name, iterate);
      return (await this.#loop(name, initial, iterate as Iterate<unknown>)) as LoopState<State>;
    });
  }

  async #loop(name: string, initial: unknown, iterate: Iterate<unknown>): Promise<unknown> {
    const asked = this.#names.ask("loop", name);
    const { key, recorded } = asked;
    const gate = this.#names.gate(asked);
    return doLoop(this.#open, {
      key,
      name,
      initial,
      beforeCommit: () => (gate?.mustHold() === true ? gate.hold() : undefined),
      record: () => this.#records()?.records[recorded],
      iterate: async (state, i) => {
        const inner = this.#open.open(iterationScope(recorded, i));
        try {
          return await new Scope(inner, this.#depth, gate).enter((it) => iterate(state, i, it));
        } finally {
          inner.close(() => iterationOver(name, i));
        }
      },
    });
  }

  spawn<Input, Value>(
    name: string,
    child: WorkflowFunction<Input, Value>,
    input: Input,
    options: SpawnOptions = {},
  ): Promise<Jsonify<Value>> {
    return this.#calls.track(`child "${name}"`, async () => {
      checkSpawn(name, child, options);
      const asked = this.#names.ask("spawn", name);
      const only = this.#child({ name, child, input, options }, asked);
      if (this.#names.mustHold(asked)) await this.#names.hold(asked);
      const settled = await only.run();
      if (settled.error !== undefined) throw settled.error;
      return settled.value as Jsonify<Value>;
    });
  }

  spawnAll(children: object, options: GroupOptions = {}): Promise<never> {
    const members = membersOf(children);
    return this.#calls.track(`a group of ${String(members.length)} children`, async () => {
      const asked = members.map((member) => this.#names.ask("spawn", member.name));
      const runs = members.flatMap((member, index) => {
        const known = asked[index];
        return known === undefined ? [] : [this.#child(member, known)];
      });
      const unknown = asked.find((one) => this.#names.mustHold(one));
      if (unknown !== undefined) await this.#names.hold(unknown);
      const results = await runGroup(this.#open, runs, options);
      const named = members.map(({ name }, index) => [name, results[index]] as const);
      return (Array.isArray(children) ? results : Object.fromEntries(named)) as never;
    });
  }

  #child({ name, child, input, options }: GroupMember, { key, record, recorded }: AskedFor): ChildRun {
    this.#children += 1;
    checkRoom(this.#life.limits, { name, depth: this.#depth + 1, number: this.#children });
    const order = { name, child, input, options, key, recorded, record };
    return new ChildRun(this.#open, order, (inner, work) => new Scope(inner, this.#depth + 1).enter(work));
  }

  sleep(duration: Duration): Promise<void> {
    return this.#calls.track(`sleep(${JSON.stringify(duration)})`, () => this.#sleep(duration));
  }

  async #sleep(duration: Duration): Promise<void> {
    const asked = this.#names.askNumbered("sleep");
    const { key, record } = asked;
    if (this.#names.mustHold(asked)) await this.#names.hold(asked);
    const until = record?.kind === "slept" ? record.until : this.#life.now() + durationMs(duration);
    if (record === undefined) await this.#open.commit([{ type: "BodySlept", data: { key, until } }]);
    await this.#life.until(this.#open, until);
  }

  waitFor<Value = unknown>(
    name: string,
    options: { readonly timeout?: Duration } = {},
  ): Promise<Waited<Value>> {
    return this.#calls.track(`waitFor("${name}")`, () => {
      checkWait(name, options);
      return this.#waitFor(name, options);
    });
  }

  async #waitFor<Value>(name: string, options: { readonly timeout?: Duration }): Promise<Waited<Value>> {
    const asked = this.#names.ask("wait", name);
    const { key, record } = asked;
    if (this.#names.mustHold(asked)) await this.#names.hold(asked);
    if (record?.kind === "waited")
      return record.timedOut ? { timedOut: true } : { value: record.value as Value };
    const until =
      record?.kind === "waiting"
        ? record.until
        : options.timeout === undefined
          ? null
          : this.#life.now() + durationMs(options.timeout);
    if (record === undefined) await this.#open.commit([{ type: "BodyWaited", data: { key, name, until } }]);
    return (await this.#life.signalled(this.#open, { key, name, until })) as Waited<Value>;
  }

  patched(name: string): boolean {
    checkNamed("run.patched", name, 'run.patched("pay-v2")');
    const { key, record } = this.#names.ask("patch", name);
    if (record !== undefined) return true;
    if (this.#names.isReplaying) return false;
    this.#open.note({ type: "BodyDrew", data: { key, value: 1 } });
    return true;
  }

  retired(name: string): void {
    checkNamed("run.retired", name, 'run.retired("pay")');
    this.#names.retire(name);
  }

  now(): number {
    return this.#draw("now", () => this.#life.now()) as number;
  }

  random(): number {
    return this.#draw("random", () => this.#life.world.chance()) as number;
  }

  id(): string {
    return this.#draw("id", () => this.#life.world.id("id")) as string;
  }

  /** Reported once: in a life that only answers from the journal nothing is said again. */
  log(text: string): void {
    checkText("run.log", text);
    if (!this.#names.isReplaying)
      this.#open.note({ type: "BodyLogged", data: { scope: this.#path.join("/"), text } });
  }

  repair<Message>(
    messages: readonly Message[],
    options: { readonly shape?: MessageShape } = {},
  ): RepairedMessages<Message> {
    const used = (name: string): void => {
      this.#names.see(name);
    };
    return repairFrom(scopesAround(this.#life.root, this.#path), messages, { ...options, used });
  }

  /** Carries out what belongs to this scope. It ends with all its calls, and having asked for all that is recorded. */
  async enter<Value>(work: (scope: Run) => Value | Promise<Value>): Promise<Value> {
    try {
      const value = await runInside(this.#path, () => work(this));
      this.#calls.checkNone(() =>
        this.#path.length === 0 ? `the workflow function of ${this.runId}` : keyText(this.#path.join("/")),
      );
      this.#names.checkAllAsked();
      return value;
    } catch (error) {
      // Others beside the one that failed may still clean up; how long is bounded by the life.
      if (this.#open.isCleaningUp) await this.#calls.settled();
      throw error;
    } finally {
      this.#calls.abandon();
    }
  }

  #records(): ProgramScope | undefined {
    return scopeAt(this.#life.root, this.#path);
  }

  #draw(kind: "now" | "random" | "id", draw: () => string | number): string | number {
    // Code that cleans up is not entered again: what it draws is not asked for twice.
    if (this.#open.isCleaningUp) return draw();
    const { key, record } = this.#names.askNumbered(kind);
    if (record?.kind === "drew") return record.value;
    const value = draw();
    this.#open.note({ type: "BodyDrew", data: { key, value } });
    return value;
  }
}
