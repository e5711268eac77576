import path from "node:path";
import { inheritedEnvironment, withEnvironment } from "../../../src/agents/inherited-environment.ts";
import type { AgentDriver, StartOrder } from "../../../src/agents/agent-driver.ts";
import { knownSecrets } from "../../../src/known-secrets.ts";
import type { Config } from "../../../src/model/settings/config.ts";
import { shellQuality } from "../../../src/quality/shell/shell-quality.ts";
import { worldHere } from "../../../src/real-world.ts";
import { PLACE } from "../life.ts";
import { freshFolder } from "../real.ts";
import { prove } from "../proof.ts";

process.env["ENVIRONMENT_PROOF"] = "inherited";

/** What a check and an agent get of the variable, by the settings of the host. */
async function got(config: Config): Promise<readonly string[]> {
  const quality = shellQuality({
    world: worldHere(),
    marked: () => Promise.resolve([]),
    environment: config.env,
  });
  const order = { key: "k", command: 'echo "$ENVIRONMENT_PROOF"', cwd: path.dirname(PLACE), env: {} };
  const limits = { limitMs: 60_000, outputBytesMax: 1_000 };
  const { excerpt } = await quality.check({ ...order, ...limits }, new AbortController().signal);
  const orders: StartOrder[] = [];
  const start = (one: StartOrder) => {
    orders.push(one);
    return Promise.resolve({ kind: "started" as const, detail: "" });
  };
  const spec = { use: "demo" } as const;
  const drivers = withEnvironment(new Map([["demo", { start } as unknown as AgentDriver]]), config.env);
  await drivers.get("demo")?.start({ spec } as StartOrder);
  const agent = orders.map((one) => inheritedEnvironment(process.env, one)["ENVIRONMENT_PROOF"] ?? "");
  return [excerpt.trim(), ...agent];
}

const SECRETS_FOLDER = freshFolder({ "one.env": "ONE=a-value-of-a-file\n" });

const known = ({ secrets }: Config): readonly string[] =>
  knownSecrets({ PLAIN: "a-plain-variable" }, secrets).map(({ name, value }) => `${name} ${value}`);

export const ENVIRONMENT_PROOFS = [
  prove("secrets.names", [[], ["PLAIN"]], known, [[], ["PLAIN a-plain-variable"]]),
  prove("secrets.files", [[], [path.join(SECRETS_FOLDER, "one.env")]], known, [
    [],
    ["ONE a-value-of-a-file"],
  ]),
  prove("env.inherit", ["listed", "all"], got, [
    ["", ""],
    ["inherited", "inherited"],
  ]),
  prove("env.pass", [[], ["ENVIRONMENT_*"]], got, [
    ["", ""],
    ["inherited", "inherited"],
  ]),
];
