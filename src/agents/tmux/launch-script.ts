import { hostname } from "node:os";
import { lowPriority } from "../low-priority.ts";
import { KEEPER_CLAIM, KEEPER_REPORT_EXIT } from "../keeper/keeper-script.ts";
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
 * 1. Like every keeper it claims the session by its identity, and shows the exit status whole.
 * 2. After the program's last word it writes a mark to the terminal, so that the one that reads knows that no more
 *    comes.
 * 3. The environment is set by the shell itself: every user of the machine can read what a command is given as words.
 * 4. A program that was asked to leave because its turn was over has ended well, by any signal.
 */
export function launchScript(terminal: TerminalFolder, nonce: string, launched: Launched): string {
  return [
    `rm -f ${quoted(`launch.${nonce}`)}`,
    `set -- ${[terminal.kept.folder, nonce, JSON.stringify(hostname())].map(quoted).join(" ")}`,
    lowPriority(launched.nice ?? 0),
    KEEPER_CLAIM,
    `(cd -- ${quoted(launched.cwd)} || exit 1`,
    FORGET_ENVIRONMENT,
    ...exports(launched.env),
    `exec $low ${launched.command.map(quoted).join(" ")})`,
    "status=$?",
    `printf %s ${quoted(endMark(terminal))} 2>/dev/null`,
    `[ -e "$folder/left" ] && status=0`,
    KEEPER_REPORT_EXIT,
  ].join("\n");
}

/** What tmux and the keeper were started with is not for the program. */
const FORGET_ENVIRONMENT = `
for name in $(env | sed -n 's/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p'); do
  case $name in PATH) ;; *) unset "$name" ;; esac
done
`;

/** Shells refuse to set these, or read their own script by them. */
const OF_THE_SHELL = ["PPID", "UID", "EUID", "GROUPS", "SHELLOPTS", "BASHOPTS", "BASH_VERSINFO", "IFS"];

/** A shell passes on only names that it knows how to write; others it would drop from its own environment too. */
const exports = (env: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(env)
    .filter(([name]) => isVariableName(name) && !OF_THE_SHELL.includes(name))
    .map(([name, value]) => `export ${name}=${quoted(value)}`);

export const isVariableName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/** One word to a shell, no matter what is in it. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
