import { existsSync, writeFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Config } from "../../../src/model/settings/config.ts";
import type { EffectOutcome } from "../../../src/model/effects/effect-outcome.ts";
import { SECOND } from "../life.ts";
import { prove, type Tree } from "../proof.ts";
import { RECEIVER } from "../receiving.ts";
import { freshFolder, freshRepository, livedWith, perform, realSystem, textOf } from "../real.ts";

const evidenceOf = (outcome: EffectOutcome | undefined) =>
  outcome?.kind === "done" ? outcome.evidence : undefined;

/** The work of a step is checked by that command, for real. */
async function checked(config: Config, command: string) {
  const life = livedWith(config, ["RunCheck"], { check: [command], cwd: freshFolder() });
  life.end();
  const [outcome] = await perform(life);
  return evidenceOf(outcome);
}

/** A step that was to deliver a file of ten bytes. */
async function delivered(config: Config): Promise<unknown> {
  const cwd = freshFolder({ "out.txt": "0123456789" });
  const life = livedWith(config, ["CollectOutputs"], {
    cwd,
    steps: [{ name: "work", task: "do it", outputs: ["out.txt"] }],
  });
  life.end();
  const [outcome] = await perform(life);
  return outcome?.kind === "done" ? outcome.outputs?.artifacts.length : outcome;
}

/** An agent writes into two files, one that git or agents obey and one of the project's own rules. */
async function afterTampering(config: Config): Promise<string[]> {
  const cwd = freshFolder({ "AGENTS.md": "be good", "gates/release.sh": "true" });
  const life = livedWith(config, ["GuardFiles"], { cwd });
  await perform(life);
  for (const name of ["AGENTS.md", "gates/release.sh"]) writeFileSync(path.join(cwd, name), "changed");
  life.end();
  await perform(life);
  return [textOf(cwd, "AGENTS.md"), textOf(cwd, "gates/release.sh")];
}

const hook = (more: Tree): Tree => ({ hooks: [{ name: "lint", at: "before_dispatch", ...more }] });

async function hooked(config: Config): Promise<string> {
  const life = livedWith(config, ["RunHook"], { cwd: freshFolder() });
  await perform(life);
  return life.stands;
}

/** A run that waits for somebody, and the files for people in its folder by then. */
async function mirrorFiles(config: Config): Promise<readonly [string, string]> {
  const { ports } = await realSystem();
  const cwd = freshFolder();
  const life = livedWith(config, [], { cwd });
  life.ask({ kind: "escalate", note: "look at it" });
  await ports.mirror?.(life.state);
  const status = path.join(cwd, ".holdfast", "status", `${life.state.run}.json`);
  return [path.join(cwd, "HUMAN_TASKS.md"), status];
}

const mirrored = async (config: Config): Promise<boolean[]> =>
  (await mirrorFiles(config)).map((file) => existsSync(file));

async function modeOfMirror(config: Config): Promise<number> {
  const umask = process.umask(0o022);
  try {
    return statSync((await mirrorFiles(config))[0]).mode & 0o777;
  } finally {
    process.umask(umask);
  }
}

/** The work of a step is looked at by a reviewer, in a copy of the tree. */
async function reviewed(config: Config): Promise<unknown> {
  const life = livedWith(config, ["AskReview"], {
    cwd: freshRepository(),
    steps: [{ name: "work", task: "do it", reviewers: ["critic"] }],
  });
  life.end();
  const [outcome] = await perform(life);
  return outcome?.kind === "done" ? outcome.review?.verdict : outcome;
}

const critic = (name: string): Tree => ({ agents: { critic: { use: "function", export: name } } });

export const COMMAND_PROOFS = [
  prove(
    "checks.limitMs",
    [50, 60 * SECOND],
    async (config) => {
      const evidence = await checked(config, "sleep 0.4");
      return [evidence?.timedOut, evidence?.verdict];
    },
    [
      [true, "fail"],
      [false, "pass"],
    ],
  ),
  prove(
    "checks.outputBytesMax",
    [10, 1_000],
    async (config) => (await checked(config, "seq 1 40"))?.excerpt.includes("\n20\n"),
    [false, true],
  ),
  prove("outputs.fileBytesMax", [9, 10], delivered, [0, 1]),
  prove("protected.usual", [true, false], afterTampering, [
    ["be good", "changed"],
    ["changed", "changed"],
  ]),
  prove("protected.paths", [["gates/**"], []], afterTampering, [
    ["changed", "true"],
    ["changed", "changed"],
  ]),
  prove("hooks.0.run", ["exit 0", "exit 2"], hooked, ["running", "blocked: hook_block"], hook({})),
  prove(
    "hooks.0.url",
    [`${RECEIVER}/hook?continue`, `${RECEIVER}/hook?block`],
    hooked,
    ["running", "blocked: hook_block"],
    hook({ allowPrivate: true }),
  ),
  prove(
    "hooks.0.allowPrivate",
    [true, false],
    hooked,
    ["running", "blocked: hook_block"],
    hook({ url: `${RECEIVER}/hook?continue` }),
  ),
  prove(
    "hooks.0.limitMs",
    [50, 60 * SECOND],
    hooked,
    ["blocked: hook_block", "running"],
    hook({ run: "sleep 0.4" }),
  ),
  prove("mirrors.humanTasks", [true, false], mirrored, [
    [true, false],
    [false, false],
  ]),
  prove("mirrors.status", [true, false], mirrored, [
    [false, true],
    [false, false],
  ]),
  prove("mirrors.shared", [false, true], modeOfMirror, [0o600, 0o644], { mirrors: { humanTasks: true } }),
  prove("review.limitMs", [50, 60 * SECOND], reviewed, ["none", "pass"], critic("slow")),
  prove("review.usd", [0.5, 5], reviewed, ["none", "pass"], critic("approving")),
];
