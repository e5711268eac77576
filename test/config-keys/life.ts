import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { toSignal } from "../../src/agents/to-signal.ts";
import { runOrder, type RunWish } from "../../src/cli/run/run-order.ts";
import { nextDeadline } from "../../src/decide/dispatch/deadlines.ts";
import { evolve } from "../../src/fold/evolve.ts";
import { newsOf } from "../../src/decide/resources/shared-resource-news.ts";
import type { Config } from "../../src/model/settings/config.ts";
import type { Effect } from "../../src/model/effects/effects.ts";
import type { EffectOutcome } from "../../src/model/effects/effect-outcome.ts";
import type { EventData, EventType, RunEvent } from "../../src/model/events/events.ts";
import type { HomeHost } from "../../src/model/host/supervision.ts";
import type { RunRequest } from "../../src/model/requests/requests.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { takeTurn } from "../../src/runtime/take-turn.ts";
import { SharedResourceFacts } from "../decide/shared-resource-facts.ts";
import { defaultOutcome } from "./default-outcome.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** No repository is around it. */
export const PLACE = mkdtempSync(path.join(tmpdir(), "holdfast-keys-"));
process.on("exit", () => {
  rmSync(PLACE, { recursive: true, force: true });
});

/** As far as the command line looks, this is a repository. */
export const REPOSITORY = path.join(PLACE, "repository");
mkdirSync(path.join(REPOSITORY, ".git"), { recursive: true });
writeFileSync(path.join(REPOSITORY, ".git", "HEAD"), "ref: refs/heads/main\n");

let files = 0;
function fileOf(content: unknown, folder = PLACE): string {
  const file = path.join(folder, `flow-${String((files += 1))}.yaml`);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

/** So many steps, one after the other. */
export const chain = (count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `s${String(at)}`,
    task: "do it",
    ...(at === 0 ? {} : { needs: [`s${String(at - 1)}`] }),
  }));

type Answers = {
  readonly [Kind in Effect["kind"]]?: (effect: Extract<Effect, { kind: Kind }>) => EffectOutcome | null;
};

export interface Wish extends Partial<RunWish> {
  readonly run?: string;
  /** Outcomes that are not plain success; null for one that does not come. */
  readonly answers?: Answers;
  readonly grounds?: SharedResourceFacts;
  /** Steps of its flow, in the short form of a flow's file. */
  readonly steps?: readonly object[];
  readonly phases?: readonly object[];
  readonly roles?: object;
  readonly cwd?: string;
  /** The host that it is worked on, where hosts share the store. */
  readonly home?: HomeHost;
}

/**
 * A run as the command line orders it from a configuration, judged as in earnest, on agents, files and a clock that do
 * what a proof says.
 */
export class Life {
  readonly state: RunState;
  readonly log: { readonly at: number; readonly event: RunEvent }[] = [];
  now = 0;
  answers: Answers;
  readonly #resources: SharedResourceFacts;
  #requests = 0;

  constructor(
    config: Config,
    {
      run = "run_1",
      answers = {},
      grounds: resources = new SharedResourceFacts(),
      steps,
      phases,
      roles,
      cwd = PLACE,
      home,
      ...wish
    }: Wish = {},
  ) {
    this.answers = answers;
    this.#resources = resources;
    const flow = steps === undefined ? {} : { flow: fileOf({ name: "f", steps, phases, roles }) };
    const order = runOrder(
      { goal: "mend the tests", agent: Object.keys(config.agents)[0] ?? "dev", ...flow, ...wish },
      config,
      cwd,
    );
    this.state = evolve(null, { type: "RunCreated", data: order }, { run, seq: 1, at: 0 });
    this.turn([
      {
        type: "RunClaimed",
        data: { owner: "own_1", epoch: 1, from: "nobody", host: "alpha", ...(home && { home }) },
      },
    ]);
  }

  turn(received: readonly RunEvent[], at = this.now): void {
    this.now = at;
    this.#take(received);
    for (let open = this.#answered(); open !== null; open = this.#answered())
      this.#take([{ type: "EffectSettled", data: open }]);
  }

  #take(received: readonly RunEvent[]): void {
    for (const event of takeTurn(this.state, received, this.now)) this.log.push({ at: this.now, event });
  }

  #answered(): EventData<"EffectSettled"> | null {
    for (const [key, effect] of Object.entries(this.state.effects)) {
      const answer = this.answers[effect.kind] as ((of: Effect) => EffectOutcome | null) | undefined;
      const outcome = answer === undefined ? this.#defaults(effect) : answer(effect);
      if (outcome !== null) return { key, outcome };
    }
    return null;
  }

  #defaults(effect: Effect): EffectOutcome {
    if (effect.kind !== "TellGround") return defaultOutcome(effect);
    this.#resources.tell(effect.ground, effect.fact, effect.rules, this.now);
    return { kind: "done", news: newsOf(this.#resources.of(effect.ground), this.state.run) };
  }

  /** Hears how a shared resource stands, as others have told it. */
  learnOf(resource: string): void {
    this.turn([
      {
        type: "GroundHeard",
        data: { ground: resource, news: newsOf(this.#resources.of(resource), this.state.run) },
      },
    ]);
  }

  /** Lets time alone pass, deadline after deadline. */
  pass(ms: number): this {
    const until = this.now + ms;
    for (;;) {
      const due = nextDeadline(this.state, this.now);
      if (due === null || due > until) break;
      this.turn([], due);
    }
    this.now = until;
    return this;
  }

  /** Until the next attempt begins, or the run waits for somebody. */
  untilBegun(): this {
    while (this.live.length === 0) {
      const due = nextDeadline(this.state, this.now);
      if (due === null) break;
      this.turn([], due);
    }
    return this;
  }

  get live(): string[] {
    return Object.keys(this.state.attempts);
  }

  /** The agent at work says something. */
  say(...signals: readonly object[]): this {
    const [attempt] = this.live;
    if (attempt !== undefined) this.receive(attempt, signals);
    return this;
  }

  receive(attempt: string, signals: readonly object[]): void {
    this.turn([{ type: "SignalsHeard", data: { attempt, cursor: "1", signals: signals.map(toSignal) } }]);
  }

  /** The agent at work comes to its end, well or not. */
  end(ok = true, text = ok ? "done" : "cannot"): this {
    return this.say({ kind: "result", ok, text }, { kind: "exit", how: "code", code: 0 });
  }

  crash(code = 1): this {
    return this.say({ kind: "exit", how: "code", code });
  }

  ask(request: RunRequest): string {
    const requestId = `req_${String((this.#requests += 1))}`;
    this.turn([{ type: "RequestHeard", data: { requestId, request, by: "ada" } }]);
    const answer = this.all("RequestAnswered").find((one) => one.requestId === requestId)?.answer;
    return answer === undefined ? "no answer" : `${answer.kind}: ${answer.text}`;
  }

  all<Type extends EventType>(type: Type): EventData<Type>[] {
    return this.log
      .filter(({ event }) => event.type === type)
      .map(({ event }) => event.data as EventData<Type>);
  }

  /** When something happened for the first time, or for the nth; null for never. */
  at<Type extends EventType>(
    type: Type,
    which: (data: EventData<Type>) => boolean = () => true,
    nth = 1,
  ): number | null {
    const found = this.log.filter(({ event }) => event.type === type && which(event.data as EventData<Type>));
    return found[nth - 1]?.at ?? null;
  }

  effects<Kind extends Effect["kind"]>(kind: Kind): Extract<Effect, { kind: Kind }>[] {
    return this.all("EffectIntended").flatMap(({ effect }) =>
      effect.kind === kind ? [effect as Extract<Effect, { kind: Kind }>] : [],
    );
  }

  effectAt(kind: Effect["kind"], nth = 1): number | null {
    return this.at("EffectIntended", ({ effect }) => effect.kind === kind, nth);
  }

  /** Where the run stands, and why if it waits. */
  get stands(): string {
    const { status, blocked } = this.state;
    return blocked === null ? status : `${status}: ${blocked.reason}`;
  }
}
