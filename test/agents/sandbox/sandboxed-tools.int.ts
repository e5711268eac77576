import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { claudeAgent } from "../../../src/agents/claude/claude-agent.ts";
import { headlessDriver } from "../../../src/agents/headless/headless-driver.ts";
import { mcpServersOf, TOOLS_RELAY } from "../../../src/agents/mcp-servers.ts";
import { withSandbox } from "../../../src/agents/sandbox/with-sandbox.ts";
import { realWorld } from "../../../src/real-world.ts";
import { builtProgram } from "../../built-program.ts";
import { waitFor } from "../contract/scene.ts";
import { noSandbox, SandboxStage } from "./sandbox-stage.ts";

const PROGRAM = builtProgram(path.join(import.meta.dirname, "../../cli/run-cli.ts"));

const request = (id: number, method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

/** Starts the server of tools as its configuration names it, and gives it two requests. */
const SCRIPT = `
for word in "$@"; do case $word in --mcp-config=*) config=\${word#--mcp-config=};; esac; done
cp "$config" config; env > env
{ echo '${request(1, "tools/list")}'
  echo '${request(2, "tools/call", { name: "report_progress", arguments: { text: "half" } })}'
  until test -e answered; do sleep 0.1; done; } |
HOLDFAST_MCP_SOCKET=/run/holdfast/tools/socket '${process.execPath}' ${TOOLS_RELAY} > answers &
until test "$(cat answers | wc -l)" -ge 2; do sleep 0.1; done
touch answered; wait`;

test(
  "P6 O4 an agent in a sandbox calls its tools through a socket that speaks for its attempt alone, and has no token",
  { skip: noSandbox },
  async (t) => {
    const stage = new SandboxStage();
    t.after(() => stage.close());
    const folder = stage.sessions;
    const store = `sqlite:${stage.in("state/store.sqlite")}`;
    const mcpServers = mcpServersOf({ ownCommand: [process.execPath, PROGRAM], store, folder });
    const driver = headlessDriver(claudeAgent, { world: realWorld(), folder, mcpServers });
    const options = {
      agents: "required",
      network: "none",
      read: [],
      hosts: [],
      limits: { processes: 4_096, memoryPct: 80 },
      sessions: folder,
      mcpServers,
    } as const;
    const sandboxed = withSandbox(new Map([["claude", driver]]), options).get("claude");
    assert.ok(sandboxed !== undefined);
    t.after(() => sandboxed.close());
    const order = stage.order("");
    const command = ["/bin/sh", "-c", SCRIPT, "sh"];
    await sandboxed.start({ ...order, spec: { ...order.spec, command } });
    const text = (name: string): string => readFileSync(path.join(stage.repo, name), "utf8");
    await waitFor(() => existsSync(path.join(stage.repo, "answered")) || undefined, 60_000);
    const answers = text("answers");
    assert.match(answers, /"id":1,"result":\{"tools":\[\{"name":"read_task"/);
    assert.match(answers, /"id":2,.*there is no run \\"r\\" in this store/);
    const door = JSON.parse(text("config")) as { mcpServers: { holdfast: { env: object } } };
    assert.deepEqual(door.mcpServers.holdfast.env, { HOLDFAST_MCP_SOCKET: "/run/holdfast/tools/socket" });
    assert.doesNotMatch(text("env"), /HOLDFAST_MCP_(TOKEN|DOOR)/);
    const socket = path.join(folder, order.session, "tools/socket");
    await waitFor(() => !existsSync(socket) || undefined, 30_000);
  },
);
