import assert from "node:assert/strict";
import path from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { readIdentity, sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../../src/agents/keeper/session-members.ts";
import type { ModelServer } from "../../../src/chaos/model-server.ts";
import type { LoggedRequest } from "../../../src/chaos/request-log.ts";
import { openSystem } from "../../../src/main.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import { sessionKey } from "../../../src/model/ids.ts";
import type { ModelScriptInput } from "../../../src/model/agent/model-script.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { describeEvent } from "../../../src/views/text/describe-event.ts";
import { CliBench } from "../../cli/cli-process.ts";
import type { Aim, Stage } from "./agent-setup.ts";
import { stageFor, type AgentStage } from "./agent-stage.ts";

/** However slow the machine is. */
const LIMIT_MS = 240_000;

/** A real agent as a person would configure it. */
export interface Performer {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly aim: (stage: Stage) => Aim;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** One real agent on a scripted model, started by the real command line. */
export class Show {
  readonly run = "show";
  readonly bench = new CliBench();
  readonly stage: AgentStage;
  readonly model: ModelServer;
  /** By which driver it is run. */
  readonly use: string;

  static async open(
    t: Pick<TestContext, "after">,
    performer: Performer,
    script: ModelScriptInput,
    hold?: (request: LoggedRequest) => Promise<void>,
  ): Promise<Show> {
    const { model, stage } = await stageFor(t, script, hold);
    const show = new Show(performer, model, stage);
    t.after(() => show.bench.close());
    return show;
  }

  private constructor({ spec, aim, settings }: Performer, model: ModelServer, stage: AgentStage) {
    this.model = model;
    this.stage = stage;
    this.use = String(spec["use"]);
    const agents = { real: { ...spec, env: stage.environment(aim) } };
    const config = { agents, backoff: { baseMs: 100, capMs: 100 }, ...settings };
    this.bench.configure(path.join(stage.repo, "holdfast.json"), JSON.stringify(config));
  }

  /** Begins the run in the background; answers the supervisor's pid. */
  async begin(goal: string, ...options: readonly string[]): Promise<number> {
    const words = ["--agent", "real", "--detach", "--id", this.run, ...options];
    const ended = await this.bench.call(["run", ...words, "--json", "--", goal], { cwd: this.stage.repo });
    assert.equal(ended.code, 0, ended.stdout + ended.stderr);
    return (JSON.parse(ended.stdout) as { supervisor: { pid: number } }).supervisor.pid;
  }

  /** Waits until the model was asked for a turn. */
  async asked(position: number): Promise<void> {
    for (const until = Date.now() + LIMIT_MS; Date.now() < until; await delay(20))
      if (this.positions().includes(position)) return;
    const reported = story(await this.events());
    assert.fail(
      `turn ${String(position)} was never asked for: ${JSON.stringify(this.model.requests())}\n${reported}`,
    );
  }

  /** Waits until so many events of a type are in the journal. */
  async journals(type: Recorded["type"], count = 1): Promise<readonly Recorded[]> {
    for (const until = Date.now() + LIMIT_MS; ; await delay(100)) {
      const events = await this.events();
      if (events.filter((event) => event.type === type).length >= count || Date.now() > until) return events;
    }
  }

  /** Which turns the model was asked for, in order. */
  positions(): (number | null)[] {
    return this.model.requests().flatMap(({ as, position }) => (as === "turn" ? [position] : []));
  }

  /** The processes of the agent itself, without their keeper. */
  agentPids(attempt: number): number[] {
    const folder = sessionFolder(`${this.bench.store}-sessions`, sessionKey(this.run, "work", attempt));
    const reading = readIdentity(folder);
    assert.ok(reading.kind === "keeper");
    const members = sessionMembers(folder.mark, reading.keeper);
    assert.ok(members !== "unknown");
    return members.map(({ pid }) => pid).filter((pid) => pid !== reading.keeper.pid);
  }

  /** The run's journal. */
  async events(): Promise<readonly Recorded[]> {
    const system = await openSystem({
      store: `sqlite:${this.bench.store}`,
      settings: configSchema.parse({}),
    });
    const events = await system.ports.journal.read(this.run, { after: 0, limit: 10_000 });
    await system.close();
    return events;
  }
}

export const signalsIn = (events: readonly Recorded[]): Signal[] =>
  events.flatMap((event) => (event.type === "SignalsHeard" ? event.data.signals : []));

export const signalsOfAttempt = (events: readonly Recorded[], number: number): Signal[] =>
  signalsIn(
    events.filter(({ type, data }) => type === "SignalsHeard" && data.attempt === `work#${String(number)}`),
  );

export const outcomesIn = (events: readonly Recorded[]): string[] =>
  events.flatMap(({ type, data }) => (type === "AttemptEnded" ? [data.outcome] : []));

export const countOf = (signals: readonly Signal[], kind: Signal["kind"]): number =>
  signals.filter((signal) => signal.kind === kind).length;

export const story = (events: readonly Recorded[]): string => events.map(describeEvent).join("\n");
