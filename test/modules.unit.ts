import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

const repository = path.dirname(import.meta.dirname);
const known = [
  "model",
  "fold",
  "decide",
  "views",
  "files",
  "journal",
  "agents",
  "workspace",
  "quality",
  "notify",
];
const knownAbove = ["runtime", "loop", "adapters", "fleet", "api", "chaos", "cli"];
const rootFiles = [
  "index.ts",
  "main.ts",
  "all-drivers.ts",
  "sandbox-git.ts",
  "aim-at-model.ts",
  "try-agent.ts",
  "real-world.ts",
  "open-holdfast.ts",
  "open-store.ts",
  "open-reader.ts",
  "redaction.ts",
  "known-secrets.ts",
  "caller-of-store.ts",
  "look-beforehand.ts",
  "run-mirrors.ts",
  "scrub-run.ts",
  "scrub-search.ts",
  "shared-wait.ts",
  "file-death-notes.ts",
  "turn-file.ts",
  "backup-store.ts",
  "garbage-on.ts",
  "restore-store.ts",
  "api-face.ts",
  "fleet-ports.ts",
];

/** Files of a small tree in which everything is allowed. */
const innocent: Record<string, string> = {
  "src/model/ids.ts": `import { z } from "zod"; export const id = z.string();`,
  "src/decide/turn-around.ts": `export const turnAround = 1;`,
  "src/fold/evolve.ts": `import { id } from "../model/ids.ts"; export const evolve = id;`,
  "src/decide/decide.ts": `import { evolve } from "../fold/evolve.ts"; export const decide = evolve;`,
  "src/views/status.ts": `import { evolve } from "../fold/evolve.ts"; export const status = evolve;`,
  "src/files/plain-file.ts": `import "node:fs"; import { id } from "../model/ids.ts"; export const plain = id;`,
  "src/workspace/read-head.ts": `import { plain } from "../files/plain-file.ts"; export const head = plain;`,
  "src/journal/journal.ts": `import type { id } from "../model/ids.ts"; export type Journal = typeof id;`,
  "src/journal/chain.ts": `import "node:crypto"; export const chain = 1;`,
  "src/journal/memory/memory-journal.ts": `import { chain } from "../chain.ts"; export const memory = chain;`,
  "src/journal/sqlite/sqlite-journal.ts": `import "node:sqlite"; export const sqlite = 1;`,
  "src/agents/agent-driver.ts": `export type AgentDriver = 1;`,
  "src/agents/keeper/keeper.ts": `export const keeper = 1;`,
  "src/agents/acp/acp-driver.ts": `import { keeper } from "../keeper/keeper.ts"; export const acp = keeper;`,
  "src/agents/tmux/tmux-driver.ts": `export const tmux = 1;`,
  "src/runtime/requests.ts": `import type { Journal } from "../journal/journal.ts"; export type Requests = Journal;`,
  "src/runtime/turn.ts": `import { evolve } from "../fold/evolve.ts"; export const turn = evolve;`,
  "src/loop/step.ts": `import type { Requests } from "../runtime/requests.ts"; export type Step = Requests;`,
  "src/loop/workflow-function.ts": `export type Run = 1;`,
  "src/adapters/ai/durable.ts": `import type { Run } from "../../loop/workflow-function.ts"; export type Durable = Run;`,
  "src/adapters/langgraph/saver.ts": `import "@langchain/langgraph-checkpoint"; export const saver = 1;`,
  "src/api/client.ts": `export const client = 1;`,
  "src/chaos/model-server.ts": `import "node:http"; export const modelServer = 1;`,
  "src/cli/main.ts": `import "../api/client.ts"; export const load = () => import("../main.ts");`,
  "src/main.ts": `import "./journal/sqlite/sqlite-journal.ts"; export const open = 1;`,
  "src/index.ts": `export { open } from "./main.ts";`,
  "sim/world.ts": `export const world = 1;`,
  "web/src/page.ts": `import type { id } from "../../src/model/ids.ts"; export type Page = typeof id;`,
};

/** Each row plants one file that breaks one rule, and names the rule that must refuse it. */
const planted: [file: string, body: string, rule: string][] = [
  ["src/model/bad-node.ts", `import "node:fs";`, "module-model"],
  ["src/model/bad-module.ts", `import "../fold/evolve.ts";`, "module-model"],
  ["src/model/bad-package.ts", `import "commander";`, "module-model"],
  ["src/fold/bad-module.ts", `import "../decide/decide.ts";`, "module-fold"],
  ["src/fold/bad-package.ts", `import "zod";`, "module-fold"],
  ["src/decide/bad-node.ts", `import "node:crypto";`, "module-decide"],
  [
    "src/decide/bad-type.ts",
    `import type { Journal } from "../journal/journal.ts"; export type J = Journal;`,
    "module-decide",
  ],
  ["src/decide/bad-file.ts", `import "../files/plain-file.ts";`, "module-decide"],
  ["src/files/bad-module.ts", `import "../workspace/read-head.ts";`, "module-files"],
  ["src/views/bad-module.ts", `import "../journal/journal.ts";`, "module-views"],
  ["src/journal/bad-module.ts", `import "../fold/evolve.ts";`, "module-journal"],
  ["src/journal/bad-shared.ts", `import "./memory/memory-journal.ts";`, "shared-journal"],
  ["src/journal/memory/bad-store.ts", `import "../sqlite/sqlite-journal.ts";`, "strangers-journal"],
  ["src/agents/tmux/bad-driver.ts", `import "../acp/acp-driver.ts";`, "strangers-agents"],
  ["src/agents/keeper/bad-keeper.ts", `import "../tmux/tmux-driver.ts";`, "strangers-agents"],
  ["src/workspace/bad-module.ts", `import "../journal/journal.ts";`, "module-workspace"],
  ["src/quality/bad-module.ts", `import "../agents/agent-driver.ts";`, "module-quality"],
  ["src/notify/bad-module.ts", `import "../views/status.ts";`, "module-notify"],
  ["src/runtime/bad-node.ts", `import "node:child_process";`, "module-runtime"],
  ["src/runtime/bad-store.ts", `import "../journal/sqlite/sqlite-journal.ts";`, "module-runtime"],
  ["src/runtime/bad-shared.ts", `import "../journal/chain.ts";`, "module-runtime"],
  ["src/loop/bad-runtime.ts", `import "../runtime/turn.ts";`, "module-loop"],
  ["src/adapters/ai/bad-adapter.ts", `import "../langgraph/saver.ts";`, "strangers-adapters"],
  ["src/adapters/ai/bad-peer.ts", `import "@langchain/langgraph-checkpoint";`, "module-adapters"],
  ["src/adapters/langgraph/bad-module.ts", `import "../../runtime/turn.ts";`, "module-adapters-langgraph"],
  ["src/fleet/bad-module.ts", `import "../runtime/requests.ts";`, "module-fleet"],
  ["src/api/bad-module.ts", `import "../fold/evolve.ts";`, "module-api"],
  ["src/chaos/bad-module.ts", `import "../journal/journal.ts";`, "module-chaos"],
  ["src/cli/bad-chaos.ts", `import "../chaos/model-server.ts";`, "chaos-loaded-lazily"],
  ["src/cli/bad-module.ts", `import "../runtime/turn.ts";`, "module-cli"],
  ["src/cli/bad-eager.ts", `import "../main.ts";`, "main-loaded-lazily"],
  ["src/real-world.ts", `import "./main.ts";`, "main-for-cli-and-entry-only"],
  ["src/bad-entry.ts", `import "./index.ts";`, "entry-is-for-outsiders"],
  ["src/bad-sim.ts", `import "../sim/world.ts";`, "product-stands-alone"],
  ["web/src/bad-store.ts", `import "../../src/journal/journal.ts";`, "dashboard-runs-in-a-browser"],
  ["web/src/bad-node.ts", `import "node:fs";`, "dashboard-has-no-node"],
  ["src/bad-dev.ts", `import "prettier";`, "no-development-packages"],
  ["src/bad-nowhere.ts", `import "./nowhere.ts";`, "no-unresolved"],
  // The checker tells a cycle once, from the file that comes first, so the innocent half needs no row.
  ["src/decide/bad-cycle.ts", `import "./turn-around.ts";`, "no-cycles"],
];

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

let folder = "";

before(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-modules-"));
  symlinkSync(path.join(repository, "node_modules"), path.join(folder, "node_modules"));
  for (const name of ["package.json", "tsconfig.json", ".dependency-cruiser.mjs"]) {
    symlinkSync(path.join(repository, name), path.join(folder, name));
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

function plant(files: Record<string, string>): void {
  for (const [file, body] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), `${body}\n`);
  }
}

function violations(): Violation[] {
  const cruiser = path.join(repository, "node_modules", ".bin", "depcruise");
  const args = [cruiser, "--config", ".dependency-cruiser.mjs", "--output-type", "json", "src", "web"];
  const done = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", maxBuffer: 64 << 20 });
  assert.equal(done.error, undefined);
  const report = JSON.parse(done.stdout) as { summary: { violations: Violation[] } };
  return report.summary.violations;
}

test("the module checker lets pass a tree that keeps to the modules, and refuses each planted breach by its rule", () => {
  plant(innocent);
  assert.deepEqual(violations(), []);

  plant({ "src/decide/turn-around.ts": `import "./bad-cycle.ts";` });
  plant(Object.fromEntries(planted.map(([file, body]) => [file, body])));
  const found = violations();
  for (const [file, , rule] of planted) {
    assert.ok(
      found.some((violation) => violation.from === file && violation.rule.name === rule),
      `${file} should break ${rule}; its violations: ${JSON.stringify(found.filter((one) => one.from === file))}`,
    );
  }
  const guilty = new Set(planted.map(([file]) => file));
  assert.deepEqual(
    found.filter((violation) => !guilty.has(violation.from)),
    [],
  );
});

test("src holds the modules of the table and the composition root, and nothing else", () => {
  const strange = readdirSync(path.join(repository, "src"), { withFileTypes: true })
    .filter((entry) => !(entry.isDirectory() ? [...known, ...knownAbove] : rootFiles).includes(entry.name))
    .map((entry) => entry.name);
  assert.deepEqual(strange, []);
});
