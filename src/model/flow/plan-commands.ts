import type { Step } from "./flow.ts";

const ANY = "*";

/** The commands of planned steps that are not among those somebody has written or allowed: an agent thought of them. */
export function unknownCommands(steps: readonly Step[], known: ReadonlySet<string>): string[] {
  if (known.has(ANY)) return [];
  const named = steps.flatMap(({ checks }) => checks.map(({ run }) => run));
  return [...new Set(named)].filter((command) => !known.has(command));
}

const SHOWN = 20;
const CHARS = 300;

/** For a person to judge: what is cut says so, and characters that would hide something are shown as such. */
export function commandsText(commands: readonly string[]): string {
  const shown = commands.slice(0, SHOWN).map((command) => {
    const cut = command.length > CHARS ? ` … (${String(command.length)} characters)` : "";
    return `${JSON.stringify(command.slice(0, CHARS))}${cut}`;
  });
  const more = commands.length > SHOWN ? `; and ${String(commands.length - SHOWN)} more` : "";
  return `${shown.join("; ")}${more}`;
}
