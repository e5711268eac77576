import { SECRET_LENGTH_MIN, type KnownSecret } from "../text/redact.ts";

/** Values of one file are bounded in number: each is looked for in everything that agents print. */
const VALUES_MAX = 200;

/** `NAME=VALUE`, as in `.env` and shell scripts, or `NAME: VALUE`. */
const NAMED = /^\s{0,20}(?:export\s{1,4})?([A-Za-z_][\w.-]{0,100})\s{0,4}[=:]\s{0,4}(.{1,8000})$/;
/** The words of `~/.netrc` that a password follows. */
const NETRC = /\bpassword\s{1,4}(\S{8,500})/;

/** The secrets that a file holds; `file` is what they are called where it gives them no name. */
export function secretsInFile(file: string, text: string): readonly KnownSecret[] {
  const whole = text.trim();
  if (whole.startsWith("-----BEGIN")) return [{ name: file, value: whole }];
  return whole
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .flatMap((line) => secretOfLine(file, line))
    .filter(({ value }) => value.length >= SECRET_LENGTH_MIN)
    .slice(0, VALUES_MAX);
}

function secretOfLine(file: string, line: string): readonly KnownSecret[] {
  const login = NETRC.exec(line)?.[1];
  if (login !== undefined) return [{ name: file, value: login }];
  const [, name, value] = NAMED.exec(line) ?? [];
  if (name === undefined || value === undefined) return [{ name: file, value: line }];
  return [{ name, value: unquoted(value.trim()) }];
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
