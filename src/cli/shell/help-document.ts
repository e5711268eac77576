import type { Command } from "commander";

export interface HelpDocument {
  readonly command: string;
  readonly description: string;
  readonly usage: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
  }[];
  readonly options: readonly { readonly flags: string; readonly description: string }[];
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
}

/** The help of a command, for programs. */
export function helpDocument(command: Command): HelpDocument {
  const help = command.createHelp();
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  return {
    command: wordsOf(command).join(" "),
    description: command.description(),
    usage: help.commandUsage(command),
    arguments: command.registeredArguments.map((one) => ({
      name: one.name(),
      description: one.description,
      required: one.required,
    })),
    options: options.map(({ flags, description }) => ({ flags, description })),
    commands: command.commands.map((child) => ({ name: child.name(), summary: child.summary() })),
  };
}

const wordsOf = (command: Command): string[] =>
  command.parent === null ? [command.name()] : [...wordsOf(command.parent), command.name()];
