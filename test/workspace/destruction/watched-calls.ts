import { readFileSync } from "node:fs";
import path from "node:path";

/** A call of the system that removes, replaces or shortens what was at a path. */
export interface Destruction {
  readonly call: string;
  readonly path: string;
}

const CALLS = [
  ...["unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2", "truncate", "ftruncate"],
  ...["open", "openat", "openat2", "creat", "chdir", "fchdir", "clone", "clone3", "fork", "vfork"],
];

export const straceArguments = (log: string): string[] => [
  ...["-f", "-qq", "-y", "-s", "4096", "-xx", "-o", log, "-e", `trace=${CALLS.join(",")}`],
];

const LINE = /^(\d+)\s+(\w+)\((.*)\)\s+= (-?\d+)/;
const RESUMED = /^(\d+)\s+<\.\.\. (\w+) resumed>(.*)$/;

/** Reads what strace wrote. Paths are told in full: relative ones begin where their process stood. */
export function readDestructions(log: string, startFolder: string): Destruction[] {
  const folders = new Map<string, string>();
  const begun = new Map<string, string>();
  const found: Destruction[] = [];
  for (const line of readFileSync(log, "latin1").split("\n")) {
    const whole = wholeLine(line, begun);
    const [, pid = "", call = "", args = "", result = "-1"] =
      (whole === null ? null : LINE.exec(whole)) ?? [];
    if (Number(result) < 0 || call === "") continue;
    const folder = folders.get(pid) ?? startFolder;
    if (/^(clone3?|v?fork)$/.test(call)) folders.set(result, folder);
    else if (call === "chdir") folders.set(pid, path.resolve(folder, texts(args)[0] ?? ""));
    else if (call === "fchdir") folders.set(pid, handlePath(args) ?? folder);
    else found.push(...destroyed(call, args, folder));
  }
  return found;
}

/** A call that another process interrupted is written in two halves. */
function wholeLine(line: string, begun: Map<string, string>): string | null {
  const unfinished = /^(\d+)\s+(.*) <unfinished \.\.\.>$/.exec(line);
  if (unfinished !== null) {
    begun.set(unfinished[1] ?? "", line.slice(0, line.length - " <unfinished ...>".length));
    return null;
  }
  const resumed = RESUMED.exec(line);
  return resumed === null ? line : `${begun.get(resumed[1] ?? "") ?? ""}${resumed[3] ?? ""}`;
}

/** With `-xx` every byte of a text is written as `\xHH`. */
const unescaped = (text: string): string =>
  Buffer.from([...text.matchAll(/\\x([0-9a-f]{2})/g)].map(([, hex]) => parseInt(hex ?? "0", 16))).toString(
    "latin1",
  );

const texts = (args: string): string[] =>
  [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text]) => unescaped(text ?? ""));

const handlePath = (args: string): string | null => {
  const raw = /^\d+<([^>]*)>/.exec(args)?.[1];
  if (raw === undefined) return null;
  return raw.includes("\\x") ? unescaped(raw) : raw;
};

function destroyed(call: string, args: string, folder: string): Destruction[] {
  const names = texts(args).map((name) => path.resolve(baseOf(args, folder), name));
  const target = (at: number): Destruction[] => (names[at] === undefined ? [] : [{ call, path: names[at] }]);
  switch (call) {
    case "unlink":
    case "unlinkat":
    case "rmdir":
    case "truncate":
    case "creat":
      return target(0);
    case "rename":
    case "renameat":
    case "renameat2":
      return [...target(0), ...target(1)];
    case "ftruncate":
      return handlePath(args) === null ? [] : [{ call, path: handlePath(args) ?? "" }];
    default:
      // A new file under a new name destroys nothing; any other way of opening for writing may.
      return /O_(WRONLY|RDWR)/.test(args) && !args.includes("O_EXCL") ? target(0) : [];
  }
}

/** `AT_FDCWD<…>` or a handle of a folder, where the call names one. */
function baseOf(args: string, folder: string): string {
  const raw = /^(?:AT_FDCWD|\d+)<([^>]*)>/.exec(args)?.[1];
  if (raw === undefined) return folder;
  return raw.includes("\\x") ? unescaped(raw) : raw;
}
