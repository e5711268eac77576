import assert from "node:assert/strict";
import { test } from "node:test";
import { claudeAgent } from "../../../src/agents/claude/claude-agent.ts";
import type { McpPlace } from "../../../src/agents/headless/headless-agent.ts";
import { HEADLESS_AGENTS } from "./headless-agents.ts";

const SERVER = {
  name: "holdfast",
  command: "/opt/node",
  args: ["cli.js", "mcp"],
  env: [{ name: "HOLDFAST_MCP_TOKEN", value: "s3cret" }],
};
const OWN = { mcpServers: { mine: { command: "mine" } }, theme: "dark" };
const PLACE: McpPlace = {
  file: (name) => `/session/${name}`,
  env: {
    HOME: "/home/ann",
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ model: "m", mcp: { mine: { type: "local" } } }),
  },
  read: (file) => (file === "/home/ann/.gemini/settings.json" ? JSON.stringify(OWN) : undefined),
  list: (folder) => (folder === "/home/ann/.gemini" ? ["settings.json", "oauth_creds.json"] : []),
};

test("O4 every headless agent is offered the server, and its token stands in no argument", () => {
  for (const agent of HEADLESS_AGENTS) {
    const offer = agent.offerMcp([SERVER], PLACE);
    const all = JSON.stringify(offer);
    assert.ok(all.includes("s3cret") && all.includes("/opt/node"), agent.use);
    assert.ok(!JSON.stringify(offer.args ?? []).includes("s3cret"), agent.use);
    const task = { args: [], conversation: "c", offer: offer.args ?? [] };
    assert.ok(!agent.argv(task).join(" ").includes("s3cret"), agent.use);
  }
});

test("A1 what a person has configured is added to and not changed: no file of theirs is written", () => {
  for (const agent of HEADLESS_AGENTS) {
    const { files = {}, links = {}, env = {} } = agent.offerMcp([SERVER], PLACE);
    for (const file of [...Object.keys(files), ...Object.keys(links)])
      assert.ok(file.startsWith("/session/"), `${agent.use} writes ${file}`);
    if (agent.use === "opencode") {
      const config = JSON.parse(env["OPENCODE_CONFIG_CONTENT"] ?? "") as Record<string, object>;
      assert.deepEqual([config["model"], Object.keys(config["mcp"] ?? {})], ["m", ["mine", "holdfast"]]);
    }
    if (agent.use === "gemini") {
      const settings = JSON.parse(Object.values(files)[0] ?? "") as typeof OWN;
      assert.deepEqual([settings.theme, Object.keys(settings.mcpServers)], ["dark", ["mine", "holdfast"]]);
      assert.equal(
        links["/session/gemini-home/.gemini/oauth_creds.json"],
        "/home/ann/.gemini/oauth_creds.json",
      );
      assert.equal(links["/session/gemini-home/.gemini/settings.json"], undefined);
    }
  }
});

test("A1 Claude Code starts no servers but ours, unless somebody names theirs beside it", () => {
  const { args = [] } = claudeAgent.offerMcp([SERVER], PLACE);
  const words = (own: readonly string[]): readonly string[] =>
    claudeAgent.argv({ args: own, conversation: "c", offer: args });
  assert.ok(words([]).includes("--strict-mcp-config"));
  const beside = words(["--mcp-config", "mine.json"]);
  assert.ok(beside.includes("--mcp-config=/session/mcp.json") && !beside.includes("--strict-mcp-config"));
  const none = claudeAgent.argv({ args: [], conversation: "c", offer: [] }).join(" ");
  assert.ok(!none.includes("mcp"));
});
