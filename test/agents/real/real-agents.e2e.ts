import assert from "node:assert/strict";
import { test } from "node:test";
import { agentsTier } from "../agents-tier.ts";
import type { ModelScriptInput } from "../../../src/model/agent/model-script.ts";
import { claude, codex, ONE_SHOT_AGENTS, type RealAgent } from "./agent-setup.ts";
import { notInstalled, stageFor, written } from "./agent-stage.ts";
import { CONTENT, HELLO, withFaults } from "./scripts.ts";

const PROMPT = "Write hello.txt";
interface Line {
  readonly type: string;
  readonly session_id?: string;
  readonly thread_id?: string;
  readonly sessionID?: string;
}

const linesOf = (stdout: string): Line[] =>
  stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line);

const sessionOf = (lines: readonly Line[]): string => {
  const ids = lines.map((line) => line.session_id ?? line.thread_id ?? line.sessionID);
  return ids.find((id) => id !== undefined) ?? assert.fail("no session was named");
};

for (const agent of ONE_SHOT_AGENTS)
  test(
    `A1 P2 the real ${agent.name} ${agent.version}, aimed at a scripted model, does its work and sends valid histories`,
    { skip: agentsTier || (agent.program === undefined && notInstalled(agent.name)) },
    async (t) => {
      const { model, stage } = await stageFor(t, HELLO);
      const { code, stdout, stderr } = await stage.run(agent, agent.oneShot(PROMPT));
      assert.equal(code, 0, stdout + stderr);
      assert.equal(written(stage), CONTENT);
      assert.ok(linesOf(stdout).length >= 4, stdout);
      assert.ok(sessionOf(linesOf(stdout)).length > 8);
      const turns = model.requests().filter(({ as }) => as === "turn");
      assert.deepEqual(
        turns.map(({ position, status }) => [position, status]),
        [
          [0, 200],
          [1, 200],
          [2, 200],
        ],
      );
      assert.deepEqual(
        model.requests().filter(({ as }) => as === "refused"),
        [],
      );
    },
  );

const recovers = (agent: RealAgent, title: string, script: ModelScriptInput, requests: number): void => {
  test(
    title,
    { skip: agentsTier || (agent.program === undefined && notInstalled(agent.name)) },
    async (t) => {
      const { model, stage } = await stageFor(t, script);
      const { code, stdout, stderr } = await stage.run(agent, agent.oneShot(PROMPT));
      assert.equal(code, 0, stdout + stderr);
      assert.equal(written(stage), CONTENT);
      const faults = model.requests().filter(({ fault }) => fault !== null);
      assert.equal(faults.length, requests);
    },
  );
};

recovers(
  claude,
  "P2 the real claude gets over a provider that is overloaded twice",
  withFaults(1, [{ kind: "error", status: 529, times: 2 }]),
  2,
);
recovers(codex, "P2 the real codex gets over a stream that is cut", withFaults(1, [{ kind: "cut" }]), 1);

test(
  "A6 P2 the real claude, resumed, goes on with the turn that its conversation has reached",
  { skip: agentsTier || (claude.program === undefined && notInstalled("claude")) },
  async (t) => {
    const { model, stage } = await stageFor(t, {
      turns: [{ say: "First.", acts: [{ run: "true" }] }, { say: "Half." }, { say: "The rest." }],
    });
    const first = await stage.run(claude, claude.oneShot("Begin"));
    const again = await stage.run(claude, claude.resume(sessionOf(linesOf(first.stdout)), "Go on"));
    assert.equal(again.code, 0, again.stdout + again.stderr);
    assert.match(again.stdout, /The rest\./);
    const positions = model.requests().flatMap(({ position }) => (position === null ? [] : [position]));
    assert.deepEqual(positions, [0, 1, 2]);
  },
);
