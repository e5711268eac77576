import { AGENT_CONFIG } from "../../../src/model/flow/obeyed.ts";
import { flowWith, HostileClone } from "./hostile-clone.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";

/** Every executable thing that a repository can name, each with a canary of its own. */
function hostile(): HostileClone {
  const clone = new HostileClone();
  const sh = (name: string): string[] => ["sh", "-c", clone.touch(name)];
  const config = {
    agents: {
      evil: { use: "acp", command: sh("agent") },
      mod: { use: "function", module: "./agent.ts" },
    },
    hooks: [{ name: "h", at: "before_dispatch", run: clone.touch("hook") }],
    workspace: { isolation: "run", setup: clone.touch("setup") },
    reality: { when: "always", checks: [clone.touch("check")] },
    notify: { channels: { ops: { use: "command", command: sh("channel") } } },
  };
  clone.write("holdfast.yaml", JSON.stringify(config));
  for (const code of ["holdfast.ts", "holdfast.mjs", "holdfast.js"])
    clone.write(code, clone.module(code, JSON.stringify({ agents: {} })));
  clone.write("agent.ts", clone.module("module", "() => 1"));
  clone.write(".holdfast/flows/code.ts", clone.module("flow", flowWith("true")));
  clone.write(".holdfast/flows/data.yaml", flowWith(clone.touch("flow-check")));
  clone.write("release.yaml", flowWith(clone.touch("release-check")));
  clone.write(
    ".mcp.json",
    JSON.stringify({ mcpServers: { x: { command: "sh", args: sh("mcp").slice(1) } } }),
  );
  return clone;
}

/** Commands that read, and what they are called with. */
const READING: readonly (readonly string[])[] = [
  ["status"],
  ["runs"],
  ["inbox"],
  ["doctor"],
  ["agents"],
  ["config", "show"],
  ["validate", "holdfast.yaml"],
  ["validate", ".holdfast/flows/data.yaml"],
  ["trust", "--show-diff", "--dry-run"],
  ["trust"],
  ["events", "none"],
  ["why", "none"],
  ["report", "none"],
  ["logs", "none"],
  ["diff", "a", "b"],
  ["replay", "none"],
  ["export", "none"],
  ["verify"],
  ["investigate"],
  ["checkpoints", "none"],
  ["proposals", "none"],
  ["alarms", "none"],
  ["attach", "none"],
  ["archive", "none"],
  ["unpause"],
  ["retry", "none"],
  ["approve", "none"],
  ["config", "schema"],
  ["init"],
  ["up", "--install", "--dry-run"],
  ["down"],
];

/** Commands that would start something, and must be refused with exit code 3. */
const STARTING: readonly (readonly string[])[] = [
  ["run", "g", "--agent", "evil"],
  ["run", "g", "--flow", "code"],
  ["run", "g", "--agent", "mod"],
  ["run", "g", "--flow", "data"],
  ["run", "g", "--flow", "release.yaml"],
  ["run", "g", "--agent", "demo"],
  ["run", "g", "--agent", "demo", "--detach"],
  ["validate", ".holdfast/flows/code.ts"],
  ["validate", "holdfast.ts"],
];

async function tryAll(
  { count }: Stage,
  commands: readonly (readonly string[])[],
  code?: number,
): Promise<Tried> {
  const clone = hostile();
  const succeeded: string[] = [];
  const chosen = commands.slice(0, count);
  try {
    for (const words of chosen) {
      const ended = await clone.call(...words);
      const seen = clone.executed();
      if (seen.length > 0) return tried(chosen.length, [`${words.join(" ")} executed ${seen.join(", ")}`]);
      if (code !== undefined && ended.code !== code)
        succeeded.push(`${words.join(" ")} ended with ${String(ended.code)}: ${ended.stdout}${ended.stderr}`);
    }
    return tried(chosen.length, succeeded);
  } finally {
    await clone.close();
  }
}

/** Configuration that an agent would obey is created after the repository was trusted. */
async function createConfig({ count }: Stage): Promise<Tried> {
  const clone = new HostileClone();
  const succeeded: string[] = [];
  const chosen = AGENT_CONFIG.slice(0, count);
  try {
    await clone.call("trust", "--yes");
    for (const name of chosen) {
      const file = /\.(json|jsonc)$|envrc$/.test(name) ? name : `${name}/settings.json`;
      clone.write(file, "{}");
      const { code, stderr } = await clone.call("run", "g", "--agent", "claude");
      if (code !== 3 || !stderr.includes(`not trusted: file ${file}`))
        succeeded.push(`${file} was obeyed: exit ${String(code)}, ${stderr}`);
      await clone.call("trust", "--yes");
    }
    return tried(chosen.length, succeeded);
  } finally {
    await clone.close();
  }
}

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T21", level: "any", promised: "prevented" },
    title: "a commit brings configuration of agents into a repository that was trusted before",
    count: { full: AGENT_CONFIG.length, short: 1 },
    run: createConfig,
  },
  {
    ...{ threat: "trust", level: "any", promised: "prevented" },
    title: "a cloned repository waits for a command that only reads",
    count: { full: READING.length, short: 4 },
    run: (stage) => tryAll(stage, READING),
  },
  {
    ...{ threat: "trust", level: "any", promised: "prevented" },
    title: "a cloned repository names agents, modules, flows, hooks and checks for the first run",
    count: { full: STARTING.length, short: 2 },
    run: (stage) => tryAll(stage, STARTING, 3),
  },
];
