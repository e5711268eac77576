import { strict as assert } from "node:assert";
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { AgentDriver, StartOrder } from "../../../src/agents/agent-driver.ts";
import type { Limits } from "../../../src/agents/sandbox/sandbox-limits.ts";
import { withSandbox } from "../../../src/agents/sandbox/with-sandbox.ts";
import type { Config } from "../../../src/model/settings/config.ts";
import { Life, PLACE } from "../life.ts";
import { prove, type Tree } from "../proof.ts";
import { freshFolder } from "../real.ts";

/** The words that the agent is started with, by a driver that only writes them down; null where it has no sandbox. */
async function words(config: Config, limited?: Limits[]): Promise<readonly string[] | null> {
  const cwd = freshFolder({});
  const [effect] = new Life(config, { cwd }).effects("StartAgent");
  assert.ok(effect !== undefined);
  const orders: StartOrder[] = [];
  const start = (order: StartOrder) => {
    orders.push(order);
    return Promise.resolve({ kind: "started" as const, detail: "" });
  };
  const drivers = withSandbox(
    new Map([[effect.spec.use, { start, capabilities: {} } as unknown as AgentDriver]]),
    {
      ...config.sandbox,
      sessions: path.join(PLACE, "sessions"),
      limit: (limits) => {
        limited?.push(limits);
        return { joining: "", opening: "", text: "" };
      },
      find: () => ({ kind: "possible", program: "bwrap", version: "1" }),
    },
  );
  await drivers.get(effect.spec.use)?.start({ ...effect, cwd, run: "r" });
  const own = path.join(PLACE, "own");
  mkdirSync(own, { recursive: true });
  return orders[0]?.enter?.({ own, command: ["/bin/true"], cwd, env: { HOME: PLACE }, files: [] }) ?? null;
}

const has = (word: string) => async (config: Config) => (await words(config))?.includes(word) ?? null;
const limited = (key: keyof Limits) => async (config: Config) => {
  const limits: Limits[] = [];
  await words(config, limits);
  return limits[0]?.[key];
};
const agent = (spec: Tree): Tree => ({ agents: { dev: { use: "claude", command: ["/bin/true"], ...spec } } });

export const SANDBOX_PROOFS = [
  prove("sandbox.agents", ["none", "auto"], has("--unshare-pid"), [null, true], agent({})),
  prove("sandbox.network", ["all", "none"], has("--unshare-net"), [false, true], agent({ sandbox: "auto" })),
  prove(
    "sandbox.hosts",
    [[], ["127.0.0.1:4711"]],
    async (config) => (await words(config))?.some((word) => word.includes("127.0.0.1:4711")) ?? null,
    [false, true],
    agent({ sandbox: "auto", network: "provider" }),
  ),
  prove(
    "sandbox.limits.processes",
    [4_096, 64],
    limited("processes"),
    [4_096, 64],
    agent({ sandbox: "auto" }),
  ),
  prove("sandbox.limits.memoryPct", [80, 10], limited("memoryPct"), [80, 10], agent({ sandbox: "auto" })),
  prove(
    "sandbox.read",
    [[], ["/proc/version"]],
    has("/proc/version"),
    [false, true],
    agent({ sandbox: "auto" }),
  ),
  prove("agents.*.sandbox", ["none", "required"], has("--unshare-pid"), [null, true], agent({})),
  prove("agents.*.network", ["all", "none"], has("--unshare-net"), [false, true], agent({ sandbox: "auto" })),
];
