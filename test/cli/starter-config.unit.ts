import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "js-yaml";
import { starterConfig } from "../../src/cli/config/starter-config.ts";
import { configJsonSchema, configSchema } from "../../src/model/config.ts";

const REPORTS = [
  { kind: "claude", state: "ready", version: "2.1.197", remedy: null },
  { kind: "codex", state: "missing", version: null, remedy: "npm install -g it\nagents: {evil: 1}" },
  { kind: "demo", state: "ready", version: null, remedy: null },
] as const;

const text = starterConfig(REPORTS, configJsonSchema());

test("O1 P4 a first configuration is valid, names the agents that were found and changes no default", () => {
  const config = configSchema.parse(load(text));
  assert.deepEqual(config, configSchema.parse({ agents: { claude: { use: "claude" } } }));
  assert.match(text, /# codex was not found here: npm install -g it agents/);
});

test("O1 P4 what a first configuration says of every setting is its default, and none is left out", () => {
  const settings = text
    .split("\n")
    .slice(text.split("\n").findIndex((line) => line.startsWith("# Everything below")) + 1)
    .map((line) => line.replace(/^# ?/, ""))
    .join("\n");
  const written = load(settings) as Record<string, unknown>;
  const defaults = Object.entries(configSchema.parse({})).filter(([section]) => section !== "agents");
  assert.deepEqual(Object.keys(written).sort(), defaults.map(([section]) => section).sort());
  assert.deepEqual(configSchema.parse(written), configSchema.parse({}));
  for (const [section, values] of defaults)
    for (const key of Object.keys(values))
      assert.match(text, new RegExp(`^#  +#? ?${key}:`, "m"), `${section}.${key} is told`);
});

test("O1 P4 where no agent was found a first configuration is valid too", () => {
  assert.deepEqual(configSchema.parse(load(starterConfig([], configJsonSchema()))), configSchema.parse({}));
});
