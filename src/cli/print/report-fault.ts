import type { CommanderError, Command } from "commander";
import { errorText, Fault, isFault } from "../../model/fault.ts";
import { EXIT_OF_FAULT } from "../shell/define-command.ts";
import { nameStore } from "../shell/name-store.ts";
import type { Output } from "./output.ts";

/** Shows what went wrong: the words to stderr, in JSON mode the document to stdout; never a stack unless asked for. */
export function reportFault(error: unknown, output: Output, store: string | null): number {
  const fault = isFault(error) ? error : unexpected(error);
  const { code, details } = fault;
  const message = nameStore(fault.message, store);
  output.document({ error: { code, message, details } });
  output.note(`holdfast: ${message}`);
  if (process.env["HOLDFAST_DEBUG"] === "1") output.note(stackOf(error));
  return EXIT_OF_FAULT[code];
}

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

export function unexpected(error: unknown): Fault {
  return new Fault(
    "broken_promise",
    `something unforeseen happened: ${errorText(error).split("\n")[0] ?? ""}; ` +
      `nothing recorded is lost. Please report it with what HOLDFAST_DEBUG=1 prints`,
    { cause: error },
  );
}

/** What the parser refused, as a fault; null for help and version, which it has printed. */
export function usageFault(error: CommanderError, program: Command, argv: readonly string[]): Fault | null {
  if (error.exitCode === 0) return null;
  const words = commandWords(program, argv);
  const help = `see \`holdfast ${[...words, "--help"].join(" ")}\``;
  if (error.code === "commander.help") return new Fault("usage", `a command is missing; ${help}`);
  const said = error.message
    .replace(/^error: /, "")
    .replaceAll("\n", " ")
    .replace(/\.$/, "");
  const hint =
    error.code === "commander.excessArguments" && words[0] === "run"
      ? '; quote the goal: holdfast run "GOAL"'
      : "";
  return new Fault("usage", `${said}${hint}; ${help}`);
}

/** The command that was meant, as far as it exists. */
export function commandOf(program: Command, argv: readonly string[]): Command {
  let at: Command = program;
  for (const word of argv) at = at.commands.find((command) => command.name() === word) ?? at;
  return at;
}

function commandWords(program: Command, argv: readonly string[]): string[] {
  const words: string[] = [];
  for (let at = commandOf(program, argv); at.parent !== null; at = at.parent) words.unshift(at.name());
  return words;
}
