import path from "node:path";
import type { Command } from "commander";
import { isCode } from "../../config/find-config.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";

export function addValidate(parent: Command, bind: Bind): void {
  parent
    .command("validate")
    .summary("check a flow or a configuration without running it")
    .description(
      "Reads a flow or a configuration and prints what is wrong with it, with line and column: what is not valid, and what would leave a run of the flow in a state that nobody can leave, or with a budget that cannot suffice. What is only likely to go wrong is a warning. A file with `steps` is a flow. Nothing is started and nothing is written.",
    )
    .argument("<FILE>", "a flow or a configuration, as YAML or JSON; a configuration may be TypeScript")
    .option("--agent <agent>", "for steps that name none, as with `run --flow`")
    .option("--trust", "a file that is code is run to be read: trust it as it is now")
    .addHelpText(
      "after",
      examples(
        ["validate release.yaml", "a flow, held against the agents of this folder's configuration"],
        ["validate holdfast.yaml", "a configuration"],
        ["validate release.yaml --json", "the problems as a document"],
      ),
    )
    .action(bind(validate));
}

async function validate(
  call: Invocation,
  file: string,
  { agent, trust }: { readonly agent?: string; readonly trust?: boolean },
): Promise<number> {
  const { validateFile } = await import("../../config/validate-file.ts");
  const whole = path.resolve(call.surroundings.cwd, file);
  if (isCode(whole)) await (await import("../../trust/trust-run.ts")).trustModule(call, whole, { trust });
  const found = await validateFile(whole, {
    agent,
    config: () => call.config(),
    hostFolder: call.hostFolder,
  });
  call.output.document({ ok: found.problems.length === 0, file, ...found });
  for (const warning of found.warnings) call.output.line(`${file}: warning: ${warning}`);
  if (found.problems.length === 0) {
    call.output.line(`${file} is a valid ${found.kind}${found.holds === "" ? "" : `: ${found.holds}`}`);
    return EXIT.done;
  }
  for (const problem of found.problems) call.output.line(`${file}: ${problem}`);
  return EXIT.usage;
}
