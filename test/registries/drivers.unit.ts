import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { KNOWN_PROGRAMS } from "../../src/agents/tmux/find-program.ts";
import { driversOn, HEADLESS_AGENTS } from "../../src/all-drivers.ts";
import { AGENT_KINDS, VENDOR_KINDS } from "../../src/model/agent/kinds/registry.ts";
import { realWorld } from "../../src/real-world.ts";

test("A1 every kind of agent has a driver, and every driver a kind", () => {
  assert.deepEqual([...driversOn(realWorld({}), tmpdir(), {}).keys()].sort(), [...AGENT_KINDS].sort());
});

test("A1 every vendor's program is run headless, and known in a terminal", () => {
  assert.deepEqual(HEADLESS_AGENTS.map(({ use }) => use).sort(), [...VENDOR_KINDS].sort());
  assert.deepEqual(KNOWN_PROGRAMS.map(({ name }) => name).sort(), [...VENDOR_KINDS].sort());
});
