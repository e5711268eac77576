import type { Command } from "commander";
import { AGENT_OPTIONS, pathsThatTake, placesOf, valued } from "./completion-places.ts";

const zshWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const zshItem = (name: string, says: string): string =>
  zshWord(`${name.replaceAll(":", "\\:")}:${says.replaceAll(":", "\\:")}`);

/** Lines of a command as items; a colon would begin a description. */
const zshLines = (words: string): string =>
  `\${\${(f)"$(holdfast completion --words ${words} 2>/dev/null)"}//:/\\\\:}`;

export function zshCompletion(program: Command): string {
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
  const named = (what: "run" | "checkpoint"): string => pathsThatTake(program, what).map(zshWord).join("|");
  return `#compdef holdfast
# completion of holdfast for Zsh
_holdfast() {
  local -a items
  local at="" word skip=0 i places=0 run="" option=""
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if ((skip)); then skip=0; continue; fi
    case "$word" in
      ${valued(program).join("|")}) skip=1; option="$word"; continue ;;
      -*) continue ;;
    esac
    case "\${at:+$at }$word" in
      ${paths.slice(1).join("|")}) at="\${at:+$at }$word" ;;
      *) ((places++)) || run="$word" ;;
    esac
  done
  if ((skip)); then
    case "$option" in
      ${AGENT_OPTIONS.join("|")}) items=(${zshLines("agents")}); _describe 'agent' items ;;
      *) _files ;;
    esac
    return
  fi
  case "$at" in
${cases.join("\n")}
  esac
  if ((places == 0)); then
    case "$at" in ${named("run")}) items+=(${zshLines("runs")}) ;; esac
  elif ((places == 1)); then
    case "$at" in ${named("checkpoint")}) items+=(${zshLines('"checkpoints:$run"')}) ;; esac
  fi
  _describe 'holdfast' items
}
if [ "$funcstack[1]" = "_holdfast" ]; then _holdfast "$@"; else compdef _holdfast holdfast; fi
`;
}
