import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { loadConfig } from "../../../src/cli/config/load-config.ts";
import { runOrder } from "../../../src/cli/run/run-order.ts";
import {
  obeyedByAll,
  obeyedByRun,
  obeyedModule,
  treeOf,
  type Obeying,
} from "../../../src/cli/trust/obeyed-here.ts";
import { dispatchTrust, obeyedAtDispatch } from "../../../src/cli/trust/dispatch-trust.ts";
import type { Started } from "../../../src/model/flow/bindings.ts";
import { grantTrust, readTrust, untrustedOf } from "../../../src/cli/trust/trust-record.ts";
import { AGENT_CONFIG } from "../../../src/model/flow/obeyed.ts";

const root = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-trust-")));
after(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

class Repository {
  readonly at = path.join(root, String((folders += 1)));
  readonly state = path.join(root, `state-${String(folders)}`);

  constructor(files: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries({ ".git/HEAD": "", ...files })) this.write(name, text);
  }

  write(name: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.at, name)), { recursive: true });
    writeFileSync(path.join(this.at, name), text);
  }

  /** What `run` would have obeyed here now. */
  async obeying(words: { agent?: string; flow?: string; check?: string[] }): Promise<Obeying> {
    const { config } = await loadConfig({ cwd: this.at, hostFolder: this.state });
    const order = runOrder({ goal: "g", ...words }, config, this.at);
    const file = words.flow === undefined ? undefined : path.join(this.at, words.flow);
    const { agents, settings, flow } = order;
    const named = file === undefined ? undefined : { file, flow };
    return obeyedByRun(this.at, {
      config,
      isConfigOwn: false,
      agents,
      settings,
      flow: named,
      checks: words.check ?? [],
    });
  }

  async asked(words: Parameters<Repository["obeying"]>[0]): Promise<string[]> {
    const { tree, obeyed } = await this.obeying(words);
    return untrustedOf(readTrust(this.state, tree.root), obeyed).map(({ obeyed: { key } }) => key);
  }

  async trust(words: Parameters<Repository["obeying"]>[0]): Promise<void> {
    const { tree, obeyed } = await this.obeying(words);
    grantTrust(this.state, tree.root, obeyed);
  }
}

const config = (more: object): string => JSON.stringify(more);
const flow = (more: object, phases: object[] = []): string =>
  JSON.stringify({ name: "f", steps: [{ name: "work", task: "t", agent: "demo", ...more }], phases });

/** Every kind of thing that is obeyed: a repository, how it is run, and the change of one byte in it. */
const KINDS: readonly {
  readonly kind: string;
  readonly files: Readonly<Record<string, string>>;
  readonly run: Parameters<Repository["obeying"]>[0];
  readonly change: readonly [file: string, text: string];
}[] = [
  {
    kind: "an agent's command",
    files: { "holdfast.yaml": config({ agents: { dev: { use: "acp", command: ["my-agent", "1"] } } }) },
    run: { agent: "dev" },
    change: ["holdfast.yaml", config({ agents: { dev: { use: "acp", command: ["my-agent", "2"] } } })],
  },
  {
    kind: "an agent's environment",
    files: {
      "holdfast.yaml": config({ agents: { dev: { use: "claude", env: { ANTHROPIC_BASE_URL: "a" } } } }),
    },
    run: { agent: "dev" },
    change: [
      "holdfast.yaml",
      config({ agents: { dev: { use: "claude", env: { ANTHROPIC_BASE_URL: "b" } } } }),
    ],
  },
  {
    kind: "an agent that takes the name of a known one",
    files: { "holdfast.yaml": config({ agents: { claude: { use: "claude", args: ["-x"] } } }) },
    run: { agent: "claude" },
    change: ["holdfast.yaml", config({ agents: { claude: { use: "claude", args: ["-y"] } } })],
  },
  {
    kind: "permissions that nobody is asked for",
    files: {
      "holdfast.yaml": config({ agents: { dev: { use: "acp", command: ["a"], permissions: "deny" } } }),
    },
    run: { agent: "dev" },
    change: [
      "holdfast.yaml",
      config({ agents: { dev: { use: "acp", command: ["a"], permissions: "allow" } } }),
    ],
  },
  {
    kind: "a module, by what it imports",
    files: {
      "holdfast.yaml": config({ agents: { dev: { use: "function", module: "./agent.ts" } } }),
      "agent.ts": 'import { x } from "./lib/x.ts";\nexport default () => x;\n',
      "lib/x.ts": "export const x = 1;\n",
    },
    run: { agent: "dev" },
    change: ["lib/x.ts", "export const x = 2;\n"],
  },
  {
    kind: "a program in the repository",
    files: {
      "holdfast.yaml": config({ agents: { dev: { use: "tmux", command: ["sh", "tools/agent.sh"] } } }),
      "tools/agent.sh": "exit 0\n",
    },
    run: { agent: "dev" },
    change: ["tools/agent.sh", "exit 1\n"],
  },
  {
    kind: "a hook",
    files: { "holdfast.yaml": config({ hooks: [{ name: "h", at: "before_dispatch", run: "true" }] }) },
    run: { agent: "demo" },
    change: ["holdfast.yaml", config({ hooks: [{ name: "h", at: "before_dispatch", run: "false" }] })],
  },
  {
    kind: "a hook's script that was not there",
    files: { "holdfast.yaml": config({ hooks: [{ name: "h", at: "before_dispatch", run: "./hook.sh" }] }) },
    run: { agent: "demo" },
    change: ["hook.sh", "exit 0\n"],
  },
  {
    kind: "a command for worktrees",
    files: { "holdfast.yaml": config({ workspace: { setup: "npm ci" } }) },
    run: { agent: "demo" },
    change: ["holdfast.yaml", config({ workspace: { setup: "npm i" } })],
  },
  {
    kind: "a check at the end",
    files: { "holdfast.yaml": config({ reality: { checks: ["make test"] } }) },
    run: { agent: "demo" },
    change: ["holdfast.yaml", config({ reality: { checks: ["make tes"] } })],
  },
  {
    kind: "commands that plans may name",
    files: { "holdfast.yaml": config({ plan: { commands: ["make"] } }) },
    run: { agent: "demo" },
    change: ["holdfast.yaml", config({ plan: { commands: ["*"] } })],
  },
  {
    kind: "protection that is given up",
    files: { "holdfast.yaml": config({ protected: { paths: ["!AGENTS.md"] } }) },
    run: { agent: "demo" },
    change: ["holdfast.yaml", config({ protected: { usual: false } })],
  },
  {
    kind: "a flow's check",
    files: { "f.yaml": flow({ checks: [{ run: "a" }] }) },
    run: { flow: "f.yaml" },
    change: ["f.yaml", flow({ checks: [{ run: "b" }] })],
  },
  {
    kind: "a gate's action",
    files: {
      "f.yaml": flow({ phase: "p" }, [
        { name: "p", gate: { name: "g", kind: "approval", action: { run: "deploy a" } } },
      ]),
    },
    run: { flow: "f.yaml" },
    change: [
      "f.yaml",
      flow({ phase: "p" }, [
        { name: "p", gate: { name: "g", kind: "approval", action: { run: "deploy b" } } },
      ]),
    ],
  },
];

for (const { kind, files, run, change } of KINDS)
  test(`P3 G4 ${kind} is asked about before it is obeyed, and again when one byte of it changes`, async () => {
    const repository = new Repository(files);
    assert.notDeepEqual(await repository.asked(run), [], "at first");
    await repository.trust(run);
    assert.deepEqual(await repository.asked(run), [], "once it is trusted");
    repository.write(...change);
    assert.notDeepEqual(await repository.asked(run), [], "after the change");
    const { config: now } = await loadConfig({ cwd: repository.at, hostFolder: repository.state });
    const all = obeyedByAll(repository.at, now, {
      flows: run.flow === undefined ? [] : [path.join(repository.at, run.flow)],
      isConfigOwn: false,
    });
    grantTrust(repository.state, all.tree.root, all.obeyed);
    assert.deepEqual(await repository.asked(run), [], "`holdfast trust` covers all of it");
  });

test("P3 configuration that agents obey is asked about where an agent reads it: created, changed, in a folder above", async () => {
  const repository = new Repository({});
  assert.deepEqual(await repository.asked({ agent: "claude" }), [], "nothing is there to be obeyed");
  await repository.trust({ agent: "claude" });
  for (const name of AGENT_CONFIG) {
    const file = /\.(json|jsonc)$|envrc$/.test(name) ? name : `${name}/settings.json`;
    repository.write(file, "{}");
    assert.deepEqual(await repository.asked({ agent: "claude" }), [`file ${file}`], `${file} was created`);
    assert.deepEqual(await repository.asked({ agent: "demo" }), [], "the scripted agent reads none of it");
    await repository.trust({ agent: "claude" });
    repository.write(file, "{ }");
    assert.deepEqual(await repository.asked({ agent: "claude" }), [`file ${file}`], `${file} was changed`);
    await repository.trust({ agent: "claude" });
  }
});

test("P3 what the operator types needs no trust, nor does what only tunes a run", async () => {
  const repository = new Repository({
    "holdfast.yaml": config({
      agents: { dev: { use: "claude", account: "team" }, other: { use: "acp", command: ["x"] } },
      backoff: { baseMs: 1 },
    }),
    "mine.ts": "export default () => 1;\n",
    "f.yaml": flow({ checks: [{ run: "{check}" }] }),
    "package.json": JSON.stringify({ scripts: { test: "evil" } }),
  });
  assert.deepEqual(await repository.asked({ agent: "dev", check: ["./run-me.sh"] }), []);
  assert.deepEqual(await repository.asked({ agent: "function:mine.ts" }), []);
  assert.deepEqual(await repository.asked({ flow: "f.yaml", check: ["make"] }), []);
});

test("P3 tests that Holdfast finds in the repository are asked about, with the scripts that they run", async () => {
  const scripts = (test: string): string => JSON.stringify({ scripts: { test } });
  const repository = new Repository({
    "package.json": scripts("node --test"),
    "f.yaml": flow({ checks: [{ run: "{check}" }] }),
  });
  assert.deepEqual(await repository.asked({ flow: "f.yaml" }), ["check that was found"]);
  await repository.trust({ flow: "f.yaml" });
  assert.deepEqual(await repository.asked({ flow: "f.yaml" }), []);
  repository.write("package.json", scripts("node --test; evil"));
  assert.deepEqual(await repository.asked({ flow: "f.yaml" }), ["check that was found"]);
});

test("P3 trust is kept for this user alone, per root, and a record that cannot be read trusts nothing", async () => {
  const repository = new Repository({ "holdfast.yaml": config({ reality: { checks: ["x"] } }) });
  await repository.trust({ agent: "demo" });
  const folder = path.join(repository.state, "trust");
  const [name = ""] = readdirSync(folder);
  assert.equal(statSync(path.join(folder, name)).mode & 0o777, 0o600);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.deepEqual(readTrust(repository.state, "/elsewhere").entries, {});
  chmodSync(path.join(folder, name), 0o600);
  writeFileSync(path.join(folder, name), "{");
  assert.deepEqual(await repository.asked({ agent: "demo" }), ["reality.checks"]);
});

test("P3 at the last moment only what is about to be executed is compared: a check by the files that its command names, triage by programs alone", () => {
  const repository = new Repository({ "check.sh": "1", "other.sh": "1", "agent.sh": "1", ".mcp.json": "{}" });
  const { at: root, state } = repository;
  const trust = {
    ...{ root, cwd: root, programs: ["agent.sh"], checks: ["check.sh", "other.sh"], agentConfig: true },
  };
  grantTrust(state, root, obeyedAtDispatch(trust, root));
  const compared = (started: Started): string | null => dispatchTrust(state)({ agents: [], trust }, started);
  const check = { kind: "command", cwd: root, command: "env A=1 sh ./check.sh" } as const;
  const tree = { kind: "in tree", cwd: root } as const;
  for (const started of [check, tree, { kind: "apart" } as const]) assert.equal(compared(started), null);
  for (const name of ["other.sh", "check.sh", ".mcp.json"]) repository.write(name, "2");
  assert.equal(compared(check), "file check.sh (changed)");
  assert.equal(compared(tree), "file .mcp.json (changed)");
  assert.equal(compared({ kind: "apart" }), null);
  repository.write("agent.sh", "2");
  assert.equal(compared({ kind: "apart" }), "file agent.sh (changed)");
  assert.equal(compared({ kind: "command", cwd: root, command: "agent.sh" }), "file agent.sh (changed)");
});

test("P3 a flow that is code is trusted with what it imports, before it is run", () => {
  const repository = new Repository({ "f.ts": 'import "./g.ts";\n', "g.ts": "export {};\n" });
  const keys = obeyedModule(path.join(repository.at, "f.ts"), treeOf(repository.at)).map(({ key }) => key);
  assert.deepEqual(keys, ["file f.ts", "file g.ts"]);
});
