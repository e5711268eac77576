import type { Command, Option } from "commander";

/** A command as completion sees it: the words that lead to it, and what may follow. */
export interface Place {
  readonly words: readonly string[];
  readonly summary: string;
  readonly commands: readonly Command[];
  readonly options: readonly Option[];
  readonly choices: readonly string[];
  /** Its first argument is a run, its second a checkpoint. */
  readonly takes: { readonly run: boolean; readonly checkpoint: boolean };
}

const shownOptions = (command: Command): Option[] => command.options.filter((option) => !option.hidden);

/** Every command of the tree; options of the program are good everywhere. */
export function placesOf(program: Command): Place[] {
  const global = shownOptions(program).filter((option) => option.long !== "--version");
  const walk = (command: Command, words: readonly string[]): Place[] => [
    {
      words,
      summary: command.summary(),
      commands: command.commands,
      options: words.length === 0 ? shownOptions(program) : [...shownOptions(command), ...global],
      choices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
      takes: {
        run: command.registeredArguments[0]?.name().startsWith("RUN") === true,
        checkpoint: command.registeredArguments[1]?.name() === "CHECKPOINT",
      },
    },
    ...command.commands.flatMap((child) => walk(child, [...words, child.name()])),
  ];
  return walk(program, []);
}

export const flagsOf = (options: readonly Option[]): string[] => [
  ...options.flatMap(({ long }) => (long === undefined ? [] : [long])),
  "--help",
];

export const namesOf = (commands: readonly Command[]): string[] => commands.map((command) => command.name());

/** Options whose next word is a value, and so no command. */
export const valued = (program: Command): string[] => [
  ...new Set(
    placesOf(program).flatMap(({ options }) => options.filter((o) => o.required).map((o) => o.long ?? "")),
  ),
];

/** Options whose value is an agent's name. */
export const AGENT_OPTIONS = ["--agent", "--reviewer", "--plan", "--to"];

/** Paths of the commands that take a run first, or a checkpoint second. */
export const pathsThatTake = (program: Command, what: keyof Place["takes"]): string[] =>
  placesOf(program).flatMap(({ takes, words }) => (takes[what] ? [words.join(" ")] : []));
