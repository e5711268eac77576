import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { load } from "js-yaml";
import { readFlow } from "../../../src/cli/config/load-flow.ts";
import { starterConfig } from "../../../src/cli/config/starter-config.ts";
import { configJsonSchema, configSchema } from "../../../src/model/settings/config.ts";
import { isHostSection } from "../../../src/model/settings/host-config.ts";
import { writtenFlowSchema } from "../../../src/model/flow/flow-file.ts";

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

test("O1 P4 what a first configuration says of every setting is its default, and none of a repository is left out", () => {
  const settings = text
    .split("\n")
    .slice(text.split("\n").findIndex((line) => line.startsWith("# Everything below")) + 1)
    .map((line) => line.replace(/^# ?/, ""))
    .join("\n");
  const written = load(settings) as Record<string, unknown>;
  const defaults = Object.entries(configSchema.parse({})).filter(
    ([section]) => section !== "agents" && !isHostSection(section),
  );
  assert.deepEqual(Object.keys(written).sort(), defaults.map(([section]) => section).sort());
  assert.deepEqual(configSchema.parse(written), configSchema.parse({}));
  for (const [section, values] of defaults)
    for (const key of Object.keys(values))
      assert.match(text, new RegExp(`^#  +#? ?${key}:`, "m"), `${section}.${key} is told`);
});

test("O1 W1 a first configuration names where runs may work", () => {
  assert.match(text, /^# {3}isolation: "auto" # one of auto, none, run, attempt$/m);
});

test("O1 P4 where no agent was found a first configuration is valid too", () => {
  assert.deepEqual(configSchema.parse(load(starterConfig([], configJsonSchema()))), configSchema.parse({}));
});

test("O1 P4 G1 a first configuration shows how agents get the roles of flows, and what it shows is right", () => {
  const shown = text
    .split("\n")
    .flatMap((line) => /^# {3}(\w+: \{ use: claude.*)$/.exec(line)?.[1] ?? [])
    .join("\n");
  const { agents } = configSchema.parse({ agents: load(shown) });
  assert.deepEqual(Object.keys(agents), ["planner", "builder", "tester", "reviewer"]);
  const folder = path.resolve(import.meta.dirname, "../../../flows");
  const used = readdirSync(folder).flatMap((file) => {
    const configured = Object.keys(agents);
    return readFlow(path.join(folder, file), { agent: "any", configured }).flow.steps;
  });
  for (const name of Object.keys(agents))
    assert.ok(
      used.some(({ role, agent }) => role === name && agent === name),
      `a ready-made flow has the role ${name}`,
    );
  const written = /^# {3}(roles: .*)$/m.exec(text)?.[1] ?? "";
  const { roles } = writtenFlowSchema.pick({ roles: true }).parse(load(written));
  assert.deepEqual(roles, { reviewer: { authority: "reviews" } });
});
