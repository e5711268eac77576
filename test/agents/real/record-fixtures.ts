// Records what the real agents print: node scripts/on-node.mjs node test/agents/real/record-fixtures.ts [AGENT[/SCENARIO]]...
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startModelServer } from "../../../src/chaos/model-server.ts";
import { modelScriptSchema, type ModelScriptInput } from "../../../src/model/agent/model-script.ts";
import { ONE_SHOT_AGENTS, type RealAgent } from "./agent-setup.ts";
import { AgentStage } from "./agent-stage.ts";
import { HELLO, withFaults } from "./scripts.ts";

const FIXTURES = path.resolve(import.meta.dirname, "../fixtures");

/** Scenarios that end within seconds, by agent: some agents sit out a limit without a word. */
const SCENARIOS: readonly { name: string; script: ModelScriptInput; not?: readonly string[] }[] = [
  { name: "edit", script: HELLO },
  { name: "overloaded-twice", script: withFaults(1, [{ kind: "error", status: 529, times: 2 }]) },
  { name: "rate-limit-once", script: withFaults(1, [{ kind: "rate_limit", retryAfterS: 1 }]) },
  {
    name: "usage-limit",
    script: withFaults(1, [{ kind: "usage_limit", resetsInS: 3_600, times: "always" }]),
    not: ["opencode"],
  },
  { name: "cut-once", script: withFaults(1, [{ kind: "cut" }]) },
  {
    name: "context-overflow",
    script: withFaults(1, [{ kind: "context_overflow", times: "always" }]),
    // It shortens its history and begins again, and so meets the same fault for ever.
    not: ["opencode"],
  },
  {
    name: "unauthorized",
    script: withFaults(0, [{ kind: "error", status: 401, times: "always" }]),
    // It tries for three minutes.
    not: ["claude"],
  },
  { name: "refusal", script: withFaults(0, [{ kind: "refusal", times: "always" }]) },
  { name: "empty", script: withFaults(0, [{ kind: "empty", times: "always" }]) },
];

async function record(agent: RealAgent, name: string, script: ModelScriptInput): Promise<void> {
  const model = await startModelServer({ script: modelScriptSchema.parse(script) });
  const stage = new AgentStage(model.url);
  try {
    const begun = Date.now();
    const { code, signal, stdout, stderr } = await stage.run(agent, agent.oneShot("Write hello.txt"));
    const folder = path.join(FIXTURES, agent.name, agent.version);
    mkdirSync(folder, { recursive: true });
    const scrub = (text: string): string =>
      text
        .replaceAll(stage.repo, "/repo")
        .replaceAll(stage.home, "/home/dev")
        .replaceAll(stage.folder, "/stage")
        .replaceAll(stage.folder.replaceAll(/[^A-Za-z0-9]/g, "-"), "-stage")
        .replaceAll(model.url, "http://127.0.0.1:8400")
        .replaceAll(/"file:\/\/[^"]*?node_modules\//g, '"node_modules/')
        .replaceAll(/(file:\/\/)?\/[^\s"')]*?\/node_modules\//g, "node_modules/");
    writeFileSync(path.join(folder, `${name}.jsonl`), scrub(stdout));
    const requests = model
      .requests()
      .map(({ as, position, fault, status }) => ({ as, position, fault, status }));
    const meta = {
      agent: agent.name,
      version: agent.version,
      arguments: agent.oneShot("Write hello.txt"),
      exit: code ?? signal,
      requests,
      stderr: scrub(stderr).split("\n").slice(0, 5),
    };
    writeFileSync(path.join(folder, `${name}.meta.json`), `${JSON.stringify(meta, null, 1)}\n`);
    const lines = stdout.split("\n").length - 1;
    const seconds = ((Date.now() - begun) / 1_000).toFixed(1);
    process.stdout.write(
      `${agent.name} ${name}: exit ${String(code ?? signal)}, ${String(lines)} lines, ${seconds} s\n`,
    );
  } finally {
    stage.close();
    await model.close();
  }
}

const asked = process.argv.slice(2);
const isAsked = (agent: string, name: string): boolean =>
  asked.length === 0 || asked.includes(agent) || asked.includes(`${agent}/${name}`);
for (const agent of ONE_SHOT_AGENTS)
  for (const { name, script, not } of SCENARIOS)
    if (agent.program !== undefined && not?.includes(agent.name) !== true && isAsked(agent.name, name))
      await record(agent, name, script);
