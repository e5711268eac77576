import { hostname } from "node:os";
import { lowPriority } from "../low-priority.ts";
import { KEEPER_CLAIM, KEEPER_TELL_EXIT } from "../keeper/keeper-script.ts";
import { endMark, type TerminalFolder } from "./terminal-folder.ts";

export interface Launched {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly nice?: number | undefined;
}

/**
 * The script that holds a program in its pane. It is a file, so that neither tmux nor a shell reads the program's words
 * as anything but words; it removes itself at once, since it holds the program's environment.
 *
 * 1. Like every keeper it claims the session by its identity, and tells the exit status whole.
 * 2. After the program's last word it writes a mark to the terminal, so that whoever reads knows that no more comes.
 * 3. A program that was asked to leave because its turn was over has ended well, by whatever signal.
 */
export function launchScript(terminal: TerminalFolder, nonce: string, launched: Launched): string {
  const environment = Object.entries(launched.env).map(([name, value]) => `${name}=${value}`);
  const words = ["env", "-i", "--", ...environment, ...launched.command];
  return [
    `rm -f ${quoted(`launch.${nonce}`)}`,
    `set -- ${[terminal.kept.folder, nonce, JSON.stringify(hostname())].map(quoted).join(" ")}`,
    lowPriority(launched.nice ?? 0),
    KEEPER_CLAIM,
    `cd -- ${quoted(launched.cwd)} && $low ${words.map(quoted).join(" ")}`,
    "status=$?",
    `printf %s ${quoted(endMark(terminal))} 2>/dev/null`,
    `[ -e "$folder/left" ] && status=0`,
    KEEPER_TELL_EXIT,
  ].join("\n");
}

/** One word to a shell, whatever is in it. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
