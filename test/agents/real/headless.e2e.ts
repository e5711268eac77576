import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test, type TestContext } from "node:test";
import { agentsTier } from "../agents-tier.ts";
import { readIdentity, sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../../src/agents/keeper/session-members.ts";
import type { ModelServer } from "../../../src/chaos/model-server.ts";
import { openSystem } from "../../../src/main.ts";
import { configSchema } from "../../../src/model/config.ts";
import type { Recorded } from "../../../src/model/events.ts";
import { sessionKey } from "../../../src/model/ids.ts";
import type { ModelScriptInput } from "../../../src/model/model-script.ts";
import type { Signal } from "../../../src/model/signals.ts";
import { tellEvent } from "../../../src/views/tell-event.ts";
import { CliBench, isAlive } from "../../cli/cli-process.ts";
import { ONE_SHOT_AGENTS, type RealAgent } from "./agent-setup.ts";
import { notInstalled, stageFor, written, type AgentStage } from "./agent-stage.ts";
import { CONTENT, HELLO, withFaults } from "./scripts.ts";

/** Looks like an option, and is a prompt all the same. */
const GOAL = "--version of hello.txt: write it";
const CHECK = "grep -q scripted hello.txt";
/** However slow the machine is. */
const LIMIT_MS = 90_000;
/** Until the next supervisor is there, more or less; it is adopted in the middle of the turn or after it. */
const SLOW_TURN_MS = 4_000;

/**
 * Resumed, it sends every result of a tool twice, which its provider's rules forbid: it has to begin anew. What was
 * said without tools it goes on with.
 */
const BREAKS_ITS_HISTORY: ReadonlySet<string> = new Set(["gemini"]);

/** One real agent on a scripted model, started by the real command line. */
class Show {
  readonly run = "show";
  readonly bench = new CliBench();
  readonly stage: AgentStage;
  readonly model: ModelServer;

  static async open(t: TestContext, agent: RealAgent, script: ModelScriptInput): Promise<Show> {
    const { model, stage } = await stageFor(t, script);
    const show = new Show(agent, model, stage);
    t.after(() => show.bench.close());
    return show;
  }

  private constructor(agent: RealAgent, model: ModelServer, stage: AgentStage) {
    this.model = model;
    this.stage = stage;
    const spec = { use: agent.name, command: agent.program, env: stage.environment(agent.aim) };
    // Named, so that no second model is asked which model is best.
    const named = agent.name === "gemini" ? { model: "gemini-2.5-flash" } : {};
    const config = { agents: { real: { ...spec, ...named } }, backoff: { baseMs: 100, capMs: 100 } };
    writeFileSync(path.join(stage.repo, "holdfast.json"), JSON.stringify(config));
  }

  /** Begins the run in the background; answers the supervisor's pid. */
  async begin(...options: readonly string[]): Promise<number> {
    const words = ["--agent", "real", "--detach", "--id", this.run, ...options];
    const ended = await this.bench.call(["run", ...words, "--json", "--", GOAL], {
      cwd: this.stage.repo,
    });
    assert.equal(ended.code, 0, ended.stdout + ended.stderr);
    return (JSON.parse(ended.stdout) as { supervisor: { pid: number } }).supervisor.pid;
  }

  /** Waits until the model was asked for a turn. */
  async asked(position: number): Promise<void> {
    for (const until = Date.now() + LIMIT_MS; Date.now() < until; await delay(20))
      if (this.model.requests().some((request) => request.as === "turn" && request.position === position))
        return;
    assert.fail(`turn ${String(position)} was never asked for: ${JSON.stringify(this.model.requests())}`);
  }

  positions(): (number | null)[] {
    return this.model.requests().flatMap(({ as, position }) => (as === "turn" ? [position] : []));
  }

  /** The processes of the agent itself, without their keeper. */
  agentPids(number: number): number[] {
    const folder = sessionFolder(`${this.bench.store}-sessions`, sessionKey(this.run, "work", number));
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
    const events = await system.rooms.journal.read(this.run, { after: 0, limit: 10_000 });
    await system.close();
    return events;
  }
}

const signalsIn = (events: readonly Recorded[]): Signal[] =>
  events.flatMap((event) => (event.type === "SignalsHeard" ? event.data.signals : []));

const tokensOf = (events: readonly Recorded[], number: number): number =>
  signalsIn(
    events.filter(({ type, data }) => type === "SignalsHeard" && data.attempt === `work#${String(number)}`),
  ).reduce((sum, signal) => sum + (signal.kind === "usage" ? (signal.tokensIn ?? 0) : 0), 0);

const story = (events: readonly Recorded[]): string => events.map(tellEvent).join("\n");

const slowly = (script: ModelScriptInput): ModelScriptInput => ({
  turns: script.turns.map((turn, at) => (at === 1 ? { ...turn, delayMs: SLOW_TURN_MS } : turn)),
});

for (const agent of ONE_SHOT_AGENTS) {
  const skip = agentsTier || (agent.program === undefined && notInstalled(agent.name));

  test(
    `A1 A2 the real ${agent.name} does its work under Holdfast, and goes on unharmed when its supervisor is killed`,
    { skip },
    async (t) => {
      const show = await Show.open(t, agent, slowly(HELLO));
      const supervisor = await show.begin("--check", CHECK);
      await show.asked(1);
      const before = show.agentPids(1);
      assert.ok(before.length > 0);
      process.kill(supervisor, "SIGKILL");
      await delay(200);
      assert.ok(before.some(isAlive), "the agent works on without a supervisor");
      await show.bench.json(["up", "--detach"]);
      await show.bench.reaches(show.run, "completed");
      assert.equal(written(show.stage), CONTENT);
      const events = await show.events();
      assert.equal(events.filter(({ type }) => type === "AttemptStarted").length, 1, story(events));
      const signals = signalsIn(events);
      const told = (kind: Signal["kind"]): number => signals.filter((signal) => signal.kind === kind).length;
      assert.deepEqual([told("tool_call"), told("tool_result"), told("result"), told("exit")], [2, 2, 1, 1]);
      assert.deepEqual(show.positions(), [0, 1, 2], "no turn was asked for twice");
      assert.ok(signals.some((signal) => signal.kind === "usage" && (signal.tokensIn ?? 0) > 0));
    },
  );

  test(
    `A6 the real ${agent.name}, killed in the middle of a turn, goes on with its conversation in the next attempt`,
    { skip },
    async (t) => {
      const show = await Show.open(t, agent, withFaults(1, [{ kind: "hang" }]));
      await show.begin("--check", CHECK);
      await show.asked(1);
      for (const pid of show.agentPids(1)) process.kill(pid, "SIGKILL");
      await show.bench.reaches(show.run, "completed");
      assert.equal(written(show.stage), CONTENT);
      const events = await show.events();
      const outcomes = events.flatMap(({ type, data }) => (type === "AttemptEnded" ? [data.outcome] : []));
      const positions = show.positions();
      assert.deepEqual([positions[0], positions[1]], [0, 1]);
      if (BREAKS_ITS_HISTORY.has(agent.name)) {
        assert.deepEqual(outcomes, ["crashed", "crashed", "succeeded"], story(events));
        return;
      }
      assert.deepEqual(outcomes, ["crashed", "succeeded"], story(events));
      assert.ok(!positions.slice(1).includes(0), `the history was there: ${positions.join(" ")}`);
    },
  );

  test(
    `A6 the real ${agent.name} goes on with its conversation when a check has sent its work back`,
    { skip },
    async (t) => {
      const breaks = BREAKS_ITS_HISTORY.has(agent.name);
      const words = { turns: [{ say: "It is done." }, { say: "It is done indeed." }] };
      const show = await Show.open(t, agent, breaks ? words : HELLO);
      await show.begin("--check", "test -f once || ! touch once");
      await show.bench.reaches(show.run, "completed");
      const events = await show.events();
      assert.deepEqual(show.positions(), breaks ? [0, 1] : [0, 1, 2, 3], story(events));
      if (breaks) return;
      // Charged once each, although one agent counts a conversation from its beginning.
      const [first = 0, second = 0] = [1, 2].map((number) => tokensOf(events, number));
      assert.ok(second > 0 && second < first, `three turns, then one: ${String(first)}, ${String(second)}`);
    },
  );
}
