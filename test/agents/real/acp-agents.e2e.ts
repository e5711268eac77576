import { agentsTier } from "../agents-tier.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { speakAcp } from "./acp-talk.ts";
import { ACP_AGENTS } from "./agent-setup.ts";
import { notInstalled, stageFor, written } from "./agent-stage.ts";
import { CONTENT, HELLO } from "./scripts.ts";

const PROMPT = "Write hello.txt";

for (const agent of ACP_AGENTS)
  test(
    `A1 P2 ${agent.name} ${agent.version} does its work over the Agent Client Protocol, aimed at a scripted model`,
    { skip: agentsTier || (agent.command === undefined && notInstalled(agent.name)) },
    async (t) => {
      const { stage } = await stageFor(t, HELLO);
      const child = stage.start(agent.aim, agent.command ?? [], "pipe");
      const { protocolVersion, stopReason, updates } = await speakAcp(child, stage.repo, PROMPT);
      assert.deepEqual([protocolVersion, stopReason], [1, "end_turn"]);
      assert.ok(updates.includes("tool_call") && updates.includes("agent_message_chunk"), updates.join(" "));
      assert.equal(written(stage), CONTENT);
    },
  );
