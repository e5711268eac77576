/**
 * The words of a command as `commandText` writes them: plain words, or words in single quotes with `'\''` for a quote.
 * Null for what it never writes.
 */
export function commandWords(command: string): string[] | null {
  const words: string[] = [];
  let rest = command.trim();
  while (rest !== "") {
    const found = /^((?:'[^']*'|\\'|[A-Za-z0-9_@%+=:,./-])+)(?:\s+|$)/.exec(rest);
    const [all, raw] = found ?? [];
    if (all === undefined || raw === undefined) return null;
    words.push(raw.replaceAll(/'([^']*)'|\\'/g, (_, quoted: string | undefined) => quoted ?? "'"));
    rest = rest.slice(all.length);
  }
  return words;
}

export interface ReadCommand {
  /** Without `holdfast` and without `--store …`. */
  readonly name: string;
  readonly operands: readonly string[];
  readonly options: Readonly<Record<string, string>>;
  readonly flags: ReadonlySet<string>;
}

const FLAGS = new Set([
  ...["again", "as-done", "all", "accept-head", "cancel", "detach", "dry-run", "now", "repository"],
  ...["show-diff", "undo", "with-filters"],
  ...["auto-retry", "continue-on-failure", "off", "retry"],
]);
/** Commands of two words. */
const FAMILIES = new Set(["proposal", "token", "agents", "config", "continuous", "mission"]);

/** A command line of ours, taken apart; null for any other text. */
export function readCommand(command: string): ReadCommand | null {
  const [program, first, ...others] = commandWords(command) ?? [];
  if (program !== "holdfast" || first === undefined) return null;
  const [second, ...further] = others;
  const isFamily = FAMILIES.has(first) && second !== undefined;
  const name = isFamily ? `${first} ${second}` : first;
  const rest = isFamily ? further : others;
  const operands: string[] = [];
  const options: Record<string, string> = Object.create(null) as Record<string, string>;
  const flags = new Set<string>();
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? "";
    const option = /^--([a-z-]+)(?:=(.*))?$/s.exec(word);
    if (word === "--") {
      operands.push(...rest.slice(at + 1));
      break;
    }
    const [, key = "", value] = option ?? [];
    if (option === null) operands.push(word);
    else if (FLAGS.has(key)) flags.add(key);
    else if (value === undefined) options[key] = rest[(at += 1)] ?? "";
    else options[key] = value;
  }
  delete options["store"];
  return { name, operands, options, flags };
}
