import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AGENTS,
  AGENT_KINDS,
  OBEYED_BY_AGENTS,
  VENDOR_KINDS,
} from "../../../src/model/agent/kinds/registry.ts";
import { AGENT_CONFIG, AGENT_CONFIG_EXCEPT, readsAgentConfig } from "../../../src/model/flow/obeyed.ts";
import { DEFAULT_RULES } from "../../../src/model/flow/protected.ts";
import { canBeSandboxed, worksUnasked } from "../../../src/model/settings/sandbox.ts";

test("A1 a kind of agent that is no program is neither put in a sandbox nor asked for its configuration", () => {
  for (const use of AGENT_KINDS) {
    const isProgram = AGENTS[use].is !== "inside";
    assert.equal(canBeSandboxed({ use }), isProgram, use);
    assert.equal(readsAgentConfig({ use }), isProgram, use);
    assert.equal(worksUnasked({ use }), AGENTS[use].asksNobody, use);
  }
  assert.deepEqual(VENDOR_KINDS, ["claude", "codex", "opencode", "gemini"]);
});

test("W9 everything that an agent of any kind obeys in its folder is protected and needs trust", () => {
  for (const { rules, settings, ownWrites } of OBEYED_BY_AGENTS) {
    for (const file of rules) assert.ok(DEFAULT_RULES.includes(file), file);
    for (const path of settings) {
      assert.ok(DEFAULT_RULES.includes(path.endsWith("/") ? `${path}**` : path), path);
      assert.ok(AGENT_CONFIG.includes(path.replace(/\/$/, "")), path);
    }
    for (const path of ownWrites) {
      const rule = `!${path.endsWith("/") ? `${path}**` : path}`;
      const folder = `${path.split("/")[0] ?? ""}/**`;
      assert.ok(DEFAULT_RULES.indexOf(rule) > DEFAULT_RULES.indexOf(folder), `${rule} follows ${folder}`);
      assert.ok(AGENT_CONFIG_EXCEPT.includes(path.replace(/\/$/, "")), path);
    }
  }
  for (const file of [
    "CLAUDE.md",
    "GEMINI.md",
    "QWEN.md",
    ".claude/**",
    ".codex/**",
    ".qwen/**",
    ".mcp.json",
  ])
    assert.ok(DEFAULT_RULES.includes(file), file);
});
