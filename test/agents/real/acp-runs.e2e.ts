import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
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
import { ACP_AGENTS, type AcpAgent } from "./agent-setup.ts";
import { notInstalled, stageFor, written, type AgentStage } from "./agent-stage.ts";
import { CONTENT, HELLO, withFaults } from "./scripts.ts";

const LIMIT_MS = 90_000;
const CHECK = "grep -q scripted hello.txt";
const RUN = "talk";

interface Scene {
  readonly bench: CliBench;
  readonly stage: AgentStage;
  readonly model: ModelServer;
}

/** One real agent on a scripted model, configured for the real command line. */
async function open(t: TestContext, agent: AcpAgent, script: ModelScriptInput): Promise<Scene> {
  const { model, stage } = await stageFor(t, script);
  const bench = new CliBench();
  t.after(() => bench.close());
  const real = { use: "acp", command: agent.command, env: stage.environment(agent.aim) };
  const config = { agents: { real }, backoff: { baseMs: 100, capMs: 100 }, attempts: { perStep: 2 } };
  writeFileSync(path.join(stage.repo, "holdfast.json"), JSON.stringify(config));
  return { bench, stage, model };
}

async function begin({ bench, stage }: Scene, ...options: readonly string[]): Promise<number> {
  const words = [
    "run",
    "--agent",
    "real",
    "--detach",
    "--id",
    RUN,
    ...options,
    "--json",
    "--",
    "Write hello.txt",
  ];
  const { code, stdout, stderr } = await bench.call(words, { cwd: stage.repo });
  assert.equal(code, 0, stdout + stderr);
  return (JSON.parse(stdout) as { supervisor: { pid: number } }).supervisor.pid;
}

const positions = ({ model }: Scene): (number | null)[] =>
  model.requests().flatMap(({ as, position }) => (as === "turn" ? [position] : []));

async function modelAsked(scene: Scene, position: number): Promise<void> {
  for (const until = Date.now() + LIMIT_MS; Date.now() < until; await delay(20))
    if (positions(scene).includes(position)) return;
  assert.fail(`turn ${String(position)} was never asked for: ${JSON.stringify(scene.model.requests())}`);
}

async function events({ bench }: Scene): Promise<readonly Recorded[]> {
  const system = await openSystem({ store: `sqlite:${bench.store}`, settings: configSchema.parse({}) });
  const all = await system.rooms.journal.read(RUN, { after: 0, limit: 10_000 });
  await system.close();
  return all;
}

async function eventually(scene: Scene, type: Recorded["type"]): Promise<readonly Recorded[]> {
  for (const until = Date.now() + LIMIT_MS; ; await delay(100)) {
    const all = await events(scene);
    if (all.some((event) => event.type === type) || Date.now() > until) return all;
  }
}

const story = (all: readonly Recorded[]): string => all.map(tellEvent).join("\n");
const signalsIn = (all: readonly Recorded[]): Signal[] =>
  all.flatMap((event) => (event.type === "SignalsHeard" ? event.data.signals : []));

/** The agent's own processes, without the keeper and its courier. */
function agentPids({ bench }: Scene): number[] {
  const folder = sessionFolder(`${bench.store}-sessions`, sessionKey(RUN, "work", 1));
  const reading = readIdentity(folder);
  assert.ok(reading.kind === "keeper");
  const members = sessionMembers(folder.mark, reading.keeper);
  assert.ok(members !== "unknown");
  return members.map(({ pid }) => pid).filter((pid) => pid !== reading.keeper.pid);
}

const slowly: ModelScriptInput = {
  turns: HELLO.turns.map((turn, at) => (at === 1 ? { ...turn, delayMs: 4_000 } : turn)),
};

const named = (name: string): AcpAgent => {
  const agent = ACP_AGENTS.find((one) => one.name === name);
  assert.ok(agent !== undefined);
  return agent;
};
const unlessThere = ({ name, command }: AcpAgent): string | false =>
  command === undefined && notInstalled(name);

for (const agent of [named("opencode acp"), named("codex-acp")]) {
  test(
    `A1 A2 the real ${agent.name} does its work, and is taken over in the middle of a turn without being interrupted`,
    { skip: agentsTier || unlessThere(agent) },
    async (t) => {
      const scene = await open(t, agent, slowly);
      const supervisor = await begin(scene, "--check", CHECK);
      await modelAsked(scene, 1);
      const before = agentPids(scene);
      process.kill(supervisor, "SIGKILL");
      await delay(200);
      assert.ok(before.some(isAlive), "the agent works on without a supervisor");
      await scene.bench.json(["up", "--detach"]);
      await scene.bench.reaches(RUN, "completed");
      assert.equal(written(scene.stage), CONTENT);
      const all = await events(scene);
      assert.equal(all.filter(({ type }) => type === "AttemptStarted").length, 1, story(all));
      const told = (kind: Signal["kind"]): number =>
        signalsIn(all).filter((signal) => signal.kind === kind).length;
      assert.deepEqual(
        [told("tool_call"), told("tool_result"), told("conversation"), told("result"), told("exit")],
        [2, 2, 1, 1, 1],
        story(all),
      );
      assert.deepEqual(positions(scene), [0, 1, 2], "no turn was asked for twice");
    },
  );

  test(
    `A6 the real ${agent.name}, killed in the middle of a turn, goes on with its conversation in the next attempt`,
    { skip: agentsTier || unlessThere(agent) },
    async (t) => {
      const scene = await open(t, agent, withFaults(1, [{ kind: "hang" }]));
      await begin(scene, "--check", CHECK);
      await modelAsked(scene, 1);
      for (const pid of agentPids(scene)) if (isAlive(pid)) process.kill(pid, "SIGKILL");
      await scene.bench.reaches(RUN, "completed");
      const all = await events(scene);
      const outcomes = all.flatMap(({ type, data }) => (type === "AttemptEnded" ? [data.outcome] : []));
      assert.deepEqual(outcomes, ["crashed", "succeeded"], story(all));
      assert.ok(
        !positions(scene).slice(1).includes(0),
        `the history was there: ${positions(scene).join(" ")}`,
      );
    },
  );
}

/** The same agent, told to ask before it writes. */
const asking = (): AcpAgent => {
  const agent = named("opencode acp");
  return {
    ...agent,
    aim: (stage) => {
      const { env, files } = agent.aim(stage);
      const asks = Object.entries(files).map(([file, text]) => [
        file,
        text.replace('"edit":"allow"', '"edit":"ask"'),
      ]);
      return { env, files: Object.fromEntries(asks) as Record<string, string> };
    },
  };
};
const WRITE_ONLY: ModelScriptInput = { turns: [HELLO.turns[0] ?? assert.fail(), { say: "That is all." }] };

for (const answer of ["approve", "reject"] as const)
  test(
    `A9 what the real opencode asks to be allowed waits in the inbox; on ${answer} it ${answer === "approve" ? "runs" : "does not run"}`,
    { skip: agentsTier || unlessThere(named("opencode acp")) },
    async (t) => {
      const scene = await open(t, asking(), WRITE_ONLY);
      await begin(scene);
      await scene.bench.reaches(RUN, "awaiting_approval");
      assert.equal(written(scene.stage), "");
      const inbox = await scene.bench.call(["inbox"]);
      assert.match(inbox.stdout, /asks for permission: .*hello\.txt/s);
      const words = answer === "approve" ? ["approve", RUN] : ["reject", RUN, "--note", "not this file"];
      const answered = await scene.bench.call(words);
      assert.equal(answered.code, 0, answered.stdout + answered.stderr);
      const all = await eventually(scene, "AttemptEnded");
      assert.equal(written(scene.stage), answer === "approve" ? CONTENT : "", story(all));
      await scene.bench.call(["cancel", RUN]);
    },
  );

test(
  "O4 the real opencode is offered Holdfast's own tools, and what it reports with them is in the journal",
  { skip: agentsTier || unlessThere(named("opencode acp")) },
  async (t) => {
    const report = { name: "holdfast_report_progress", arguments: { text: "half way there", percent: 50 } };
    const scene = await open(t, named("opencode acp"), {
      turns: [{ say: "I will report.", acts: [{ tool: report }] }, { say: "That is all." }],
    });
    await begin(scene);
    await scene.bench.reaches(RUN, "completed");
    const all = await events(scene);
    const told = signalsIn(all).filter((signal) => signal.kind === "progress");
    assert.deepEqual(told, [{ kind: "progress", text: "half way there", pct: 50 }], story(all));
  },
);
