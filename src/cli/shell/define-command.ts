import type { Command } from "commander";
import type { Invocation } from "./invocation.ts";

/** What a command does: its arguments and options as the parser gives them; answers the exit code. */
export type Work = (call: Invocation, ...args: never[]) => Promise<number>;

/** Makes the parser's action from a command's work. */
export type Bind = (work: Work) => (...args: unknown[]) => Promise<void>;

/** Adds one command, or a small family, to its parent. */
export type AddCommand = (parent: Command, bind: Bind) => void;

export type Example = readonly [words: string, does: string];

/** Every command shows at least two. */
export function showExamples(command: Command, first: Example, second: Example, ...more: Example[]): void {
  const rows = [first, second, ...more];
  const width = Math.max(...rows.map(([words]) => words.length));
  const lines = rows.map(([words, does]) => `  holdfast ${words.padEnd(width)}  # ${does}`);
  command.addHelpText("after", `\nExamples:\n${lines.join("\n")}\n`);
}
