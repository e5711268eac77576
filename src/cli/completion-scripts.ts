import type { Command, Option } from "commander";

/** A command as completion sees it: the words that lead to it, and what may follow. */
interface Place {
  readonly words: readonly string[];
  readonly summary: string;
  readonly commands: readonly Command[];
  readonly options: readonly Option[];
  readonly choices: readonly string[];
}

const shownOptions = (command: Command): Option[] => command.options.filter((option) => !option.hidden);

/** Every command of the tree; options of the program are good everywhere. */
function placesOf(program: Command): Place[] {
  const global = shownOptions(program).filter((option) => option.long !== "--version");
  const walk = (command: Command, words: readonly string[]): Place[] => [
    {
      words,
      summary: command.summary(),
      commands: command.commands,
      options: words.length === 0 ? shownOptions(program) : [...shownOptions(command), ...global],
      choices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    },
    ...command.commands.flatMap((child) => walk(child, [...words, child.name()])),
  ];
  return walk(program, []);
}

const flagsOf = (options: readonly Option[]): string[] => [
  ...options.flatMap(({ long }) => (long === undefined ? [] : [long])),
  "--help",
];

const namesOf = (commands: readonly Command[]): string[] => commands.map((command) => command.name());

/** Options whose next word is a value, and so no command. */
const valued = (program: Command): string[] => [
  ...new Set(
    placesOf(program).flatMap(({ options }) => options.filter((o) => o.required).map((o) => o.long ?? "")),
  ),
];

function bash(program: Command): string {
  const cases = placesOf(program).map(({ words, commands, options, choices }) => {
    const offered = [...namesOf(commands), ...choices, ...flagsOf(options)].join(" ");
    return `    "${words.join(" ")}") words="${offered}" ;;`;
  });
  const paths = placesOf(program).map(({ words }) => `"${words.join(" ")}"`);
  return `# completion of holdfast for Bash
_holdfast() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" words="" word skip=0 i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if ((skip)); then skip=0; continue; fi
    case "$word" in
      ${valued(program).join("|")}) skip=1; continue ;;
      -*) continue ;;
    esac
    case "\${path:+$path }$word" in
      ${paths.slice(1).join("|")}) path="\${path:+$path }$word" ;;
    esac
  done
  if ((skip)); then COMPREPLY=($(compgen -f -- "$current")); return; fi
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _holdfast holdfast
`;
}

const zshWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const zshItem = (name: string, says: string): string =>
  zshWord(`${name.replaceAll(":", "\\:")}:${says.replaceAll(":", "\\:")}`);

function zsh(program: Command): string {
  const cases = placesOf(program).map(({ words, commands, options, choices }) => {
    const items = [
      ...commands.map((command) => zshItem(command.name(), command.summary())),
      ...choices.map((choice) => zshItem(choice, "")),
      ...options.map((option) => zshItem(option.long ?? "", option.description)),
      zshItem("--help", "show help"),
    ];
    return `    ${zshWord(words.join(" "))}) items=(${items.join(" ")}) ;;`;
  });
  const paths = placesOf(program).map(({ words }) => zshWord(words.join(" ")));
  return `#compdef holdfast
# completion of holdfast for Zsh
_holdfast() {
  local -a items
  local at="" word skip=0 i
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if ((skip)); then skip=0; continue; fi
    case "$word" in
      ${valued(program).join("|")}) skip=1; continue ;;
      -*) continue ;;
    esac
    case "\${at:+$at }$word" in
      ${paths.slice(1).join("|")}) at="\${at:+$at }$word" ;;
    esac
  done
  if ((skip)); then _files; return; fi
  case "$at" in
${cases.join("\n")}
  esac
  _describe 'holdfast' items
}
if [ "$funcstack[1]" = "_holdfast" ]; then _holdfast "$@"; else compdef _holdfast holdfast; fi
`;
}

const fishWord = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function fish(program: Command): string {
  const lines = placesOf(program).flatMap(({ words, commands, options, choices }) => {
    const when = fishWord(fishCondition(words, commands));
    return [
      ...commands.map(
        (child) => `complete -c holdfast -f -n ${when} -a ${child.name()} -d ${fishWord(child.summary())}`,
      ),
      ...choices.map((choice) => `complete -c holdfast -f -n ${when} -a ${choice}`),
      ...options.map(
        (option) =>
          `complete -c holdfast -n ${when} -l ${(option.long ?? "").slice(2)}${option.required ? " -r" : ""} -d ${fishWord(option.description)}`,
      ),
    ];
  });
  return `# completion of holdfast for fish\n${lines.join("\n")}\n`;
}

/** Below a command and not yet below one of its own. */
function fishCondition(words: readonly string[], commands: readonly Command[]): string {
  const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
  const names = namesOf(commands).join(" ");
  const notBelow = names === "" ? [] : [`not __fish_seen_subcommand_from ${names}`];
  const conditions = [...seen, ...notBelow];
  return conditions.length === 0 ? "true" : conditions.join("; and ");
}

export type Shell = "bash" | "zsh" | "fish";

/** Written from the tree, so that they never know other commands than it. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, (program: Command) => string>> = { bash, zsh, fish };
