import { readCommand } from "../../data/command-words.ts";
import { en } from "../../text/en.ts";

/** The verb of a command, as a button says it. */
export function commandLabel(command: string): string {
  const read = readCommand(command);
  if (read === null) return command;
  const { verbs } = en;
  const { name, options, flags } = read;
  const [, option = ""] =
    [
      ["reissue", options["reason"] ?? ""],
      ["settle", flags.has("again") ? "again" : "done"],
      ["accept", options["resolution"] ?? ""],
      ["unblock", options["note"] === undefined ? "" : "note"],
      ["mission launch", flags.has("retry") ? "retry" : ""],
      ["restore", flags.has("repository") ? "repository" : ""],
    ].find(([known]) => known === name) ?? [];
  const key = (option === "" ? name : `${name} ${option}`) as keyof typeof verbs;
  const known = verbs[key] ?? verbs[name as keyof typeof verbs];
  if (name === "retry" && options["step"] !== undefined) return en.retryStep(options["step"]);
  if (name === "set") return en.setTo(read.operands.slice(1).join(", "));
  return known ?? sentence(name);
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
