import type { Command } from "commander";
import { AGENT_OPTIONS, flagsOf, namesOf, pathsThatTake, placesOf, valued } from "./completion-places.ts";

export function bashCompletion(program: Command): string {
  const named = (what: "run" | "checkpoint"): string =>
    pathsThatTake(program, what)
      .map((path) => `"${path}"`)
      .join("|");
  const cases = placesOf(program).map(({ words, commands, options, choices }) => {
    const offered = [...namesOf(commands), ...choices, ...flagsOf(options)].join(" ");
    return `    "${words.join(" ")}") words="${offered}" ;;`;
  });
  const paths = placesOf(program).map(({ words }) => `"${words.join(" ")}"`);
  return `# completion of holdfast for Bash
_holdfast() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" words="" word skip=0 i places=0 run="" option=""
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if ((skip)); then skip=0; continue; fi
    case "$word" in
      ${valued(program).join("|")}) skip=1; option="$word"; continue ;;
      -*) continue ;;
    esac
    case "\${path:+$path }$word" in
      ${paths.slice(1).join("|")}) path="\${path:+$path }$word" ;;
      *) ((places++)) || run="$word" ;;
    esac
  done
  if ((skip)); then
    case "$option" in
      ${AGENT_OPTIONS.join("|")}) COMPREPLY=($(compgen -W "$(holdfast completion --words agents 2>/dev/null)" -- "$current")) ;;
      *) COMPREPLY=($(compgen -f -- "$current")) ;;
    esac
    return
  fi
  case "$path" in
${cases.join("\n")}
  esac
  if [[ "$current" != -* ]]; then
    if ((places == 0)); then
      case "$path" in ${named("run")}) words="$words $(holdfast completion --words runs 2>/dev/null)" ;; esac
    elif ((places == 1)); then
      case "$path" in ${named("checkpoint")}) words="$words $(holdfast completion --words "checkpoints:$run" 2>/dev/null)" ;; esac
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _holdfast holdfast
`;
}
