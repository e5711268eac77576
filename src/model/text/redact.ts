import { SECRET_PATTERNS } from "./secret-patterns.ts";

/** A secret that is known by its value, and what it is called. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

export type Redactor = (text: string) => string;

/** Shorter values stand in many texts by chance. */
export const SECRET_LENGTH_MIN = 8;

/** Known values first, in every form that programs commonly write them in; then what looks like a secret of a known vendor. */
export function redactor(known: readonly KnownSecret[]): Redactor {
  const byForm = knownForms(known);
  // The longest first: a value may be the beginning of another.
  const forms = [...byForm.keys()].sort((one, other) => other.length - one.length);
  const values = forms.length === 0 ? null : new RegExp(forms.map(literal).join("|"), "g");
  return (text) => {
    if (text.length < SECRET_LENGTH_MIN) return text;
    let clean =
      values === null ? text : text.replace(values, (form) => removed(byForm.get(form) ?? "secret"));
    for (const { name, needs, looks } of SHAPES)
      if (needs.some((beginning) => clean.includes(beginning))) clean = clean.replace(looks, removing(name));
    return clean;
  };
}

/** What is sent to a terminal, such as a colour, ends with a letter: a secret may begin right after it. */
const START = String.raw`(?:\b|(?<=\u001b\[[0-9;?]{0,16}[A-Za-z]))`;

const SHAPES = SECRET_PATTERNS.map((shape) => ({
  ...shape,
  looks: new RegExp(
    shape.looks.source.replace(/^\\b/, () => START),
    shape.looks.flags,
  ),
}));

/** Every form of known values, with the name of the first that has it. */
export function knownForms(known: readonly KnownSecret[]): ReadonlyMap<string, string> {
  const byForm = new Map<string, string>();
  for (const { name, value } of known)
    if (value.length >= SECRET_LENGTH_MIN)
      for (const form of formsOf(value)) if (!byForm.has(form)) byForm.set(form, name);
  return byForm;
}

/** Every text inside of a value, regardless of its shape; names of fields are left as they are. */
export function redactAll<T>(value: T, redact: Redactor): T {
  return deep(value, redact) as T;
}

function deep(value: unknown, redact: Redactor): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((one) => deep(one, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, deep(one, redact)]));
}

const removed = (name: string): string => `[redacted: ${name}]`;

/** A pattern without a group has the place of its match where the group would be. */
const removing =
  (name: string) =>
  (_match: string, kept: unknown): string =>
    `${typeof kept === "string" ? kept : ""}${removed(name)}`;

function formsOf(value: string): readonly string[] {
  const uri = encodeURIComponent(value.toWellFormed());
  const json = jsonInside(value);
  // What a tool has printed stands in its agent's JSON once more.
  const twice = jsonInside(json);
  return [...new Set([value, uri, json, twice, ...base64Forms(value)])].filter(
    (form) => form.length >= SECRET_LENGTH_MIN,
  );
}

const jsonInside = (text: string): string => JSON.stringify(text).slice(1, -1);

/**
 * How a value appears inside of base64, wherever it begins in what was encoded: of the first and last group only the
 * characters that depend on nothing else.
 */
function base64Forms(value: string): readonly string[] {
  const bytes = utf8(value);
  return [0, 1, 2].flatMap((offset) => {
    const padded = new Uint8Array(offset + bytes.length);
    padded.set(bytes, offset);
    const whole = toBase64(padded);
    const from = offset === 0 ? 0 : offset === 1 ? 2 : 3;
    const left = (offset + bytes.length) % 3;
    const to = whole.length - (left === 0 ? 0 : left === 1 ? 3 : 2);
    const form = whole.slice(from, to);
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** The pure modules have no encoder of their own. */
export const utf8 = (text: string): number[] =>
  Array.from(encodeURIComponent(text.toWellFormed()).matchAll(/%(..)|./g), ([char, hex]) =>
    hex === undefined ? char.charCodeAt(0) : Number.parseInt(hex, 16),
  );

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const letters = [18, 12, 6, 0].map((shift) => ALPHABET[(group >> shift) & 63] ?? "");
    const count = Math.min(3, bytes.length - at) + 1;
    text += letters.slice(0, count).join("").padEnd(4, "=");
  }
  return text;
}

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

/** A variable that holds a secret by its name: `OPENAI_API_KEY`, `PGPASSWORD`, `GH_TOKEN`, `SESSION_SECRET`. */
const SECRET_NAME =
  /(?:^|_)(?:API_?KEYS?|KEY|TOKENS?|SECRETS?|PASS|PASSWORD|PASSWD|PASSPHRASE|PWD|CREDENTIALS?|AUTH|PAT|COOKIE|DSN|BEARER|PRIVATE)(?:_|$)|(?:PASSWORD|PASSWD|SECRET|TOKEN|APIKEY)$/i;

/** Names that look like it and hold a place, a switch or a socket. */
const NO_SECRET_NAME =
  /^(?:PWD|OLDPWD|SSH_AUTH_SOCK|XAUTHORITY|DBUS_.*|XDG_.*|GPG_AGENT_INFO|.*_(?:FILE|PATH|DIR|URL|HOST|PORT|NAME|ID|TYPE|MODE))$/i;

/** Whether a variable holds a secret, as far as its name says. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name) && !NO_SECRET_NAME.test(name);

/** The secrets among the variables of an environment: by their name, or because somebody named them. */
export function secretsIn(
  env: Readonly<Record<string, string | undefined>>,
  named: readonly string[] = [],
): readonly KnownSecret[] {
  return Object.entries(env).flatMap(([name, value = ""]) => {
    const isNamed = named.includes(name);
    const isSecret = isSecretName(name) && isRevealing(value);
    return value.length >= SECRET_LENGTH_MIN && (isNamed || isSecret) ? [{ name, value }] : [];
  });
}

/** A path, a number or one plain word is no secret, no matter what its variable is called. */
const isRevealing = (value: string): boolean =>
  !/^(?:[~.]?\/[^\s:@]*|\d{1,12}|[a-z]{1,12}|true|false)$/i.test(value);
