import type { Command } from "commander";
import { COMPLETION_SCRIPTS, type Shell } from "../completion-scripts.ts";
import { showExamples, type Bind } from "../define-command.ts";
import { EXIT } from "../exit-codes.ts";
import type { Invocation } from "../invocation.ts";

export function addCompletion(parent: Command, bind: Bind): void {
  const command = parent
    .command("completion")
    .summary("completion of commands for a shell")
    .description("Prints a script that completes Holdfast's commands and options.")
    .addArgument(parent.createArgument("<SHELL>", "the shell").choices(Object.keys(COMPLETION_SCRIPTS)))
    .action(bind(completion(parent)));
  showExamples(
    command,
    ["completion bash > ~/.local/share/bash-completion/completions/holdfast", "for Bash"],
    ["completion zsh > ~/.zfunc/_holdfast", "for Zsh, with ~/.zfunc in fpath"],
    ["completion fish > ~/.config/fish/completions/holdfast.fish", "for fish"],
  );
}

const completion =
  (program: Command) =>
  async ({ output }: Invocation, shell: Shell): Promise<number> => {
    const script = COMPLETION_SCRIPTS[shell](program);
    if (output.json) output.document({ shell, script });
    else output.product(script);
    return EXIT.done;
  };
