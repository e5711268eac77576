/**
 * Which words of a command name what is executed: its program, and the script that an interpreter is given. Files that
 * a command only reads or writes are not meant. What a shell would still put together (variables, substitutions,
 * `cd` before a relative path) is not seen; the words themselves are compared as a whole wherever they stand.
 */
export function executedByShell(text: string): string[] {
  return text
    .replaceAll(/&?\d{0,3}[<>]{1,3}&?[ \t]{0,9}("[^"]*"|'[^']*'|[^\s;|&()]+)?/g, " ")
    .split(/[\n;|&(){}`]/)
    .flatMap((simple) => executedByWords(wordsOf(simple)));
}

/** The same for a program and its arguments, without a shell. */
export function executedByWords(words: readonly string[]): string[] {
  const [first, ...rest] = words.filter((word) => word !== "");
  if (first === undefined) return [];
  if (/^\w+=/.test(first) || WRAPPERS.has(nameOf(first)) || KEYWORDS.has(first))
    return [
      ...(first.includes("/") && !first.includes("=") ? [first] : []),
      ...executedByWords(afterOptions(rest)),
    ];
  if (!INTERPRETERS.test(nameOf(first))) return [first];
  const inline = rest.findIndex((word) => /^-\w*c$/.test(word));
  if (inline !== -1) return [first, ...executedByShell(rest[inline + 1] ?? "")];
  const script = rest.find((word) => !word.startsWith("-"));
  return script === undefined ? [first] : [first, script];
}

/** What runs the command that stands behind it. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...[
    "env",
    "exec",
    "command",
    "nice",
    "nohup",
    "sudo",
    "time",
    "timeout",
    "xargs",
    "setsid",
    "source",
    ".",
    "npx",
  ],
]);
const KEYWORDS: ReadonlySet<string> = new Set(["if", "then", "else", "elif", "while", "until", "do", "!"]);
const INTERPRETERS = /^(ba|da|z|k|fi)?sh$|^(node|deno|bun|tsx|ts-node|ruby|perl|php|lua|python[\d.]*)$/;

const nameOf = (word: string): string => word.slice(word.lastIndexOf("/") + 1);

/** Behind the options of a wrapper, and the time that `timeout` is given. */
const afterOptions = (words: readonly string[]): string[] => {
  const at = words.findIndex((word) => !word.startsWith("-") && !/^\d+(\.\d+)?[smhd]?$/.test(word));
  return at === -1 ? [] : words.slice(at);
};

const wordsOf = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
