import { strict as assert } from "node:assert";
import { findProgram } from "../../../src/agents/tmux/find-program.ts";
import { recognise, type Dialog } from "../../../src/agents/tmux/screen/recognise.ts";
import { describedLines } from "../../../src/agents/command/described-lines.ts";
import { placeTask } from "../../../src/agents/command/place-task.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import type { Config } from "../../../src/model/settings/config.ts";
import { Life, MINUTE, SECOND } from "../life.ts";
import { prove, type Proof, type Tree } from "../proof.ts";
import { freshFolder, receivedOf, livedWith, perform, textOf } from "../real.ts";

const agent = (spec: Tree): Tree => ({ agents: { dev: spec } });

/** A program that writes down what it is called with, instead of the agent's own. */
const CALLED = ["/bin/sh", "-c", 'printf "%s\\n" "$@" > called; echo "$GREETING" > greeted', "sh"];

interface Worked {
  readonly cwd: string;
  readonly said: string;
}

/** The agent is started for real, and works until it ends. */
async function worked(config: Config): Promise<Worked> {
  const cwd = freshFolder({
    "two.mjs": MODULE,
    "three.mjs": MODULE.replaceAll("2", "3"),
    "script.json": SCRIPT,
  });
  const life = livedWith(config, ["StartAgent"], { cwd });
  const [outcome] = await perform(life);
  assert.equal(outcome?.kind, "done", JSON.stringify(outcome));
  const signals = await receivedOf(life);
  const said = signals.flatMap((one) =>
    one.kind === "result" ? [one.text] : one.kind === "message" ? [one.text] : [],
  );
  return { cwd, said: said.join(" ") };
}

const MODULE = `export default () => "module 2"; export const other = () => "other 2";`;
const SCRIPT = JSON.stringify({ attempts: [[{ do: "say", text: "from the script" }]] });

const called = async (config: Config): Promise<string> => textOf((await worked(config)).cwd, "called");

const LIMIT = { kind: "rate_limit", text: "Rate limit exceeded" };
const PERMISSION = { kind: "permission", askId: "p1", what: "run rm" };

const RULED = { ...PERMISSION, tool: "Bash", toolKind: "execute", command: "npm test -- one" };

/** A request that one value lets be allowed and the other denied. */
const proveRule = (
  key: string,
  values: readonly [string, string],
  permissions: Tree = { default: "deny", rules: [{ tool: "*", then: "allow" }] },
): Proof =>
  prove(
    `agents.*.permissions.${key}`,
    values,
    (config) =>
      new Life(config)
        .say(RULED)
        .effects("AnswerPermission")
        .map(({ allow }) => allow),
    [[true], [false]],
    agent({ permissions }),
  );

process.env["KEYS_PROOF"] = "inherited";

function specOf(config: Config): AgentSpec {
  const [effect] = new Life(config).effects("StartAgent");
  assert.ok(effect !== undefined);
  return effect.spec;
}

/** The dialog that a terminal program's screen shows, by what is configured of it. */
function dialogOf(config: Config): Dialog | undefined {
  const [effect] = new Life(config).effects("StartAgent");
  assert.ok(effect !== undefined);
  const program = findProgram(effect.spec);
  assert.ok(!("problem" in program));
  return recognise(program, { title: "", lines: ["Run it now: make"] }).dialog;
}

export const AGENT_PROOFS = [
  prove(
    "agents.*.use",
    ["claude", "codex"],
    async (config) => (await called(config)).split("\n")[0],
    ["--print", "exec"],
    agent({ command: CALLED }),
  ),
  prove(
    "agents.*.script",
    ["hello", "script.json"],
    async (config) => (await worked(config)).said.includes("from the script"),
    [false, true],
    agent({ use: "demo" }),
  ),
  prove(
    "agents.*.module",
    ["two.mjs", "three.mjs"],
    async (config) => (await worked(config)).said,
    ["module 2", "module 3"],
    agent({ use: "function" }),
  ),
  prove(
    "agents.*.export",
    [undefined, "other"],
    async (config) => (await worked(config)).said,
    ["module 2", "other 2"],
    agent({ use: "function", module: "two.mjs" }),
  ),
  prove(
    "agents.*.command",
    [
      ["/bin/sh", "-c", "echo one > called"],
      ["/bin/sh", "-c", "echo two > called"],
    ],
    called,
    ["one", "two"],
    agent({ use: "claude" }),
  ),
  prove(
    "agents.*.args",
    [[], ["--max-turns=9"]],
    async (config) => (await called(config)).includes("--max-turns=9"),
    [false, true],
    agent({ use: "claude", command: CALLED }),
  ),
  prove(
    "agents.*.model",
    ["small", "large"],
    async (config) => /--model\n(\w+)/.exec(await called(config))?.[1],
    ["small", "large"],
    agent({ use: "claude", command: CALLED }),
  ),
  prove(
    "agents.*.account",
    [undefined, "shared"],
    (config) => new Life(config).say(LIMIT).effects("TellGround")[0]?.ground,
    ["account:acp/dev", "account:shared"],
  ),
  prove(
    "agents.*.env",
    [{}, { GREETING: "hello" }],
    async (config) => textOf((await worked(config)).cwd, "greeted"),
    ["", "hello"],
    agent({ use: "claude", command: CALLED }),
  ),
  prove(
    "agents.*.inherit",
    [["KEYS_*"], ["NOTHING"]],
    called,
    ["inherited", ""],
    agent({ use: "claude", command: ["/bin/sh", "-c", 'echo "$KEYS_PROOF" > called'] }),
  ),
  prove(
    "agents.*.pass",
    [["KEYS_*"], []],
    called,
    ["inherited", ""],
    agent({ use: "claude", command: ["/bin/sh", "-c", 'echo "$KEYS_PROOF" > called'] }),
  ),
  prove(
    "agents.*.prompt",
    ["^ready> (.*)$", "^shell> (.*)$"],
    (config) => {
      const [effect] = new Life(config).effects("StartAgent");
      assert.ok(effect !== undefined);
      const program = findProgram(effect.spec);
      assert.ok(!("problem" in program));
      return recognise(program, { title: "", lines: ["done", "ready> "] }).state;
    },
    ["idle", "unknown"],
    agent({ use: "tmux", command: ["dev"] }),
  ),
  prove(
    "agents.*.dialog.0.shows",
    ["^Run it now:", "^Never:"],
    (config) => dialogOf(config)?.kind ?? null,
    ["question", null],
    agent({ use: "tmux", command: ["dev"], dialog: [{ shows: "x" }] }),
  ),
  prove(
    "agents.*.dialog.0.allow",
    [["y"], ["a", "Enter"]],
    (config) => dialogOf(config)?.keys?.allow,
    [["y"], ["a", "Enter"]],
    agent({ use: "tmux", command: ["dev"], dialog: [{ shows: "^Run it now:", deny: ["n"] }] }),
  ),
  prove(
    "agents.*.dialog.0.deny",
    [["n"], ["Escape"]],
    (config) => dialogOf(config)?.keys?.deny,
    [["n"], ["Escape"]],
    agent({ use: "tmux", command: ["dev"], dialog: [{ shows: "^Run it now:", allow: ["y"] }] }),
  ),
  prove(
    "agents.*.signals",
    [[{ is: "message", text: "words" }], [{ is: "error", text: "words" }]],
    (config) => {
      const { signals = [] } = specOf(config);
      const received = describedLines(signals, { startedAt: 0, resumes: false }).event({ words: "hello" });
      return received?.map(({ kind }) => kind).filter((kind) => kind !== "ready");
    },
    [["message"], ["error"]],
    agent({ use: "command", command: ["dev"] }),
  ),
  prove(
    "agents.*.resume",
    [["--continue", "{session}"], ["--again={session}"]],
    (config) => placeTask(specOf(config), { task: "t", model: "", session: "s1" })?.command,
    [
      ["dev", "--continue", "s1"],
      ["dev", "--again=s1"],
    ],
    agent({ use: "command", command: ["dev"] }),
  ),
  prove(
    "agents.*.compact",
    [undefined, "/compact"],
    (config) => {
      const life = new Life(config);
      for (let nth = 0; nth < 90; nth += 1) life.say({ kind: "context", usedPct: 97 }).pass(5 * SECOND);
      return life.effects("TellAgent").some(({ text }) => text === "/compact");
    },
    [false, true],
  ),
  prove(
    "agents.*.permissions",
    ["allow", "deny"],
    (config) =>
      new Life(config)
        .say(PERMISSION)
        .effects("AnswerPermission")
        .map(({ allow }) => allow),
    [[true], [false]],
  ),
  proveRule("default", ["allow", "deny"], { rules: [] }),
  proveRule("rules.0.tool", ["Bash", "Read"]),
  proveRule("rules.0.kind", ["execute", "read"]),
  proveRule("rules.0.match", ["npm test*", "npm publish*"]),
  proveRule("rules.0.then", ["allow", "deny"]),
  prove(
    "startup.termGraceMs",
    [1, 30 * SECOND],
    async (config) => {
      const life = livedWith(config, ["StartAgent", "EndAgent"]);
      await perform(life);
      const received = receivedOf(life);
      life.ask({ kind: "cancel" });
      await perform(life);
      return (await received).some((one) => one.kind === "message" && one.text === "goodbye");
    },
    [false, true],
    agent({ use: "function", export: "lingering" }),
  ),
];

/** An agent that falls silent, so that another one is asked about it, for real. */
async function askedAbout(config: Config): Promise<unknown> {
  const life = livedWith(config, ["AskTriage"]);
  for (let nth = 1; nth < 5; nth += 1)
    life
      .say(
        { kind: "tool_call", name: "bash", args: `ls ${String(nth)}` },
        { kind: "tool_result", name: "bash", ok: true, text: `news ${String(nth)}` },
      )
      .pass(5 * SECOND);
  for (let nth = 0; nth < 60 && life.effects("AskTriage").length === 0; nth += 1) life.pass(MINUTE);
  const [outcome] = await perform(life);
  return outcome?.kind === "done" ? outcome.triage?.verdict : outcome;
}

export const ASKED_PROOFS = [
  prove("triage.usd", [0.5, 5], askedAbout, ["none", "continue"], {
    agents: { judge: { use: "function", export: "costly" } },
    triage: { agent: "judge" },
  }),
];
