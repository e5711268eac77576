import type { Command } from "commander";
import { bashCompletion } from "./completion-bash.ts";
import { fishCompletion } from "./completion-fish.ts";
import { zshCompletion } from "./completion-zsh.ts";

export type Shell = "bash" | "zsh" | "fish";

/** Written from the tree, so that they never know other commands than it. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, (program: Command) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};
