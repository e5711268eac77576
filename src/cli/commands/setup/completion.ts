import { type Command, Option } from "commander";
import { bashCompletion } from "../../shell/completion-bash.ts";
import { fishCompletion } from "../../shell/completion-fish.ts";
import { zshCompletion } from "../../shell/completion-zsh.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { Fault } from "../../../model/fault.ts";

export function addCompletion(parent: Command, bind: Bind): void {
  parent
    .command("completion")
    .summary("completion of commands for a shell")
    .description(
      "Prints a script that completes Holdfast's commands and options; in Bash also run ids, agents and checkpoints.",
    )
    .addArgument(parent.createArgument("[SHELL]", "the shell").choices(Object.keys(COMPLETION_SCRIPTS)))
    .addOption(new Option("--words <kind>", "what a script offers: runs, agents, checkpoints:RUN").hideHelp())
    .addHelpText(
      "after",
      examples(
        ["completion bash > ~/.local/share/bash-completion/completions/holdfast", "for Bash"],
        ["completion zsh > ~/.zfunc/_holdfast", "for Zsh, with ~/.zfunc in fpath"],
        ["completion fish > ~/.config/fish/completions/holdfast.fish", "for fish"],
      ),
    )
    .action(bind(completion(parent)));
}

const completion =
  (program: Command) =>
  async (
    call: Invocation,
    shell: Shell | undefined,
    { words }: { readonly words?: string },
  ): Promise<number> => {
    if (words !== undefined)
      return (await import("../../shell/completion-words.ts")).completionWords(call, words);
    if (shell === undefined)
      throw new Fault("usage", "which shell? Expected holdfast completion bash, zsh or fish");
    const { output } = call;
    const script = COMPLETION_SCRIPTS[shell](program);
    if (output.json) output.document({ shell, script });
    else output.product(script);
    return EXIT.done;
  };

type Shell = "bash" | "zsh" | "fish";

/** Written from the tree, so that they never know other commands than it. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, (program: Command) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};
