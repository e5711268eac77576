import type { Command } from "commander";
import { AGENT_OPTIONS, pathsThatTake, placesOf, valued } from "./completion-places.ts";

const fishWord = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

export function fishCompletion(program: Command): string {
  const cases = placesOf(program).map(({ words, commands, options, choices }) => {
    const lines = [
      ...commands.map((child) => [child.name(), child.summary()]),
      ...choices.map((choice) => [choice, ""]),
      ...options.map((option) => [option.long ?? "", option.description]),
      ["--help", "show help"],
    ].map(([name = "", says = ""]) => `      printf '%s\\t%s\\n' ${fishWord(name)} ${fishWord(says)}`);
    return [`    case ${fishWord(words.join(" "))}`, ...lines].join("\n");
  });
  const paths = placesOf(program).map(({ words }) => fishWord(words.join(" ")));
  const named = (what: "run" | "checkpoint"): string => pathsThatTake(program, what).map(fishWord).join(" ");
  return `# completion of holdfast for fish
function __holdfast_words
  set -l typed (commandline -opc)
  set -l at ""
  set -l places
  set -l option ""
  for word in $typed[2..-1]
    if test -n "$option"
      set option ""
      continue
    end
    switch $word
      case ${valued(program).join(" ")}
        set option $word
        continue
      case '-*'
        continue
    end
    set -l next (string trim -- "$at $word")
    if contains -- $next ${paths.slice(1).join(" ")}
      set at $next
    else
      set -a places $word
    end
  end
  switch $option
    case ''
    case ${AGENT_OPTIONS.join(" ")}
      holdfast completion --words agents 2>/dev/null
      return
    case '*'
      __fish_complete_path (commandline -ct)
      return
  end
  switch $at
${cases.join("\n")}
  end
  if test (count $places) = 0; and contains -- $at ${named("run")}
    holdfast completion --words runs 2>/dev/null
  else if test (count $places) = 1; and contains -- $at ${named("checkpoint")}
    holdfast completion --words checkpoints:$places[1] 2>/dev/null
  end
end
complete -c holdfast -f -a '(__holdfast_words)'
`;
}
