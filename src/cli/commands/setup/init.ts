import { renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { Fault } from "../../../model/fault.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { NO_ANSWERS, type StarterAnswers } from "../../config/starter-answers.ts";
import type { Invocation } from "../../shell/invocation.ts";

const FILE = "holdfast.yaml";

export function addInit(parent: Command, bind: Bind): void {
  parent
    .command("init")
    .summary("write a first configuration")
    .description(
      `Looks which agents are installed here and writes ${FILE} into this folder: the agents that were found, and the settings that most people change, as comments. On a terminal it asks four questions first; Enter keeps a default, and Ctrl-C leaves everything as it was. An existing configuration is left alone.`,
    )
    .option("--all", "every setting with its default and its meaning, as comments")
    .option("--print", "print it instead of writing it")
    .option("--yes", "ask nothing, and keep every default")
    .option("--force", `replace ${FILE} where there is one`)
    .addHelpText(
      "after",
      examples(
        ["init", `writes ${FILE}`],
        ["init --print", "shows what it would write"],
        ["init --all --print", "every setting there is"],
        ["validate holdfast.yaml", "after you changed it"],
      ),
    )
    .action(bind(init));
}

interface InitOptions {
  readonly all?: boolean;
  readonly print?: boolean;
  readonly force?: boolean;
  readonly yes?: boolean;
}

async function init(call: Invocation, options: InitOptions): Promise<number> {
  const [
    { surveyAgents },
    { configJsonSchema },
    { foundAgents, starterConfig },
    { shortConfig },
    { detectCheck },
  ] = await Promise.all([
    import("../../../main.ts"),
    import("../../../model/settings/config.ts"),
    import("../../config/starter-config.ts"),
    import("../../config/short-config.ts"),
    import("../../run/detect-check.ts"),
  ]);
  const { print, force, all } = options;
  const file = path.join(call.surroundings.cwd, FILE);
  if (print !== true && force !== true) await refuseSecond(call.surroundings.cwd);
  const reports = await surveyAgents();
  const check = detectCheck(call.surroundings.cwd);
  const answers = await asked(call, options, check);
  if (answers === null) {
    call.output.note("holdfast: nothing was written");
    return EXIT.interrupted;
  }
  const text =
    all === true ? starterConfig(reports, configJsonSchema()) : shortConfig(reports, check, answers);
  if (print === true) {
    if (call.output.json) call.output.document({ file, text });
    else call.output.product(text);
    return EXIT.done;
  }
  writeWhole(file, text, force === true);
  await trustWritten(call);
  const names = foundAgents(reports).map(({ kind }) => kind);
  call.output.document({ file, agents: names, check });
  call.output.line(`${file} is written; agents found: ${names.join(", ") || "none, see `holdfast agents`"}`);
  const checked = check === null || answers.check !== null ? "" : ` --check "${check}"`;
  const first =
    names[0] === undefined ? '"say hello" --agent demo' : `"YOUR GOAL" --agent ${names[0]}${checked}`;
  call.output.line(`→ holdfast run ${first}`);
  return EXIT.done;
}

/** What the person at the terminal wants; the defaults where nobody can be asked; null for somebody who left. */
async function asked(
  call: Invocation,
  { print, all, yes }: InitOptions,
  check: string | null,
): Promise<StarterAnswers | null> {
  const [{ canAsk }, { agentThatCalls }, { askStarter }] = await Promise.all([
    import("../../trust/require-trust.ts"),
    import("../../ask/who-asks.ts"),
    import("../../ask/ask-starter.ts"),
  ]);
  const mayAsk = print !== true && all !== true && yes !== true && canAsk(call);
  return !mayAsk || (await agentThatCalls(call)) !== null ? NO_ANSWERS : askStarter(check);
}

/** What was just written is the user's own; anything else that lies here is asked about when it would be run. */
async function trustWritten(call: Invocation): Promise<void> {
  const [{ agentThatCalls }, { treeOf }, { grantByPerson }, { obeyedConfig }] = await Promise.all([
    import("../../ask/who-asks.ts"),
    import("../../trust/obeyed-here.ts"),
    import("../../trust/require-trust.ts"),
    import("../../../model/flow/obeyed.ts"),
  ]);
  if ((await agentThatCalls(call)) !== null) return;
  const { root } = treeOf(call.surroundings.cwd);
  await grantByPerson(call, root, obeyedConfig(await call.config()));
}

/** A configuration further up counts as well: a second one would hide it. */
async function refuseSecond(cwd: string): Promise<void> {
  const { findConfig } = await import("../../config/find-config.ts");
  const there = findConfig(cwd);
  if (there === null) return;
  throw new Fault(
    "refused",
    `there is a configuration already: ${there}; change it, see another with \`holdfast init --print\`, or write ${FILE} here in any case with --force`,
  );
}

/** Whole or not at all, no matter who else writes at the same time. */
function writeWhole(file: string, text: string, replace: boolean): void {
  try {
    if (!replace) {
      writeFileSync(file, text, { flag: "wx" });
      return;
    }
    const partial = `${file}.${String(process.pid)}.partial`;
    writeFileSync(partial, text, { flush: true });
    renameSync(partial, file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const remedy = code === "EEXIST" ? "write over it with --force" : "check that the folder may be written";
    throw new Fault("refused", `${file} cannot be written: ${message}; ${remedy}`, { cause: error });
  }
}
