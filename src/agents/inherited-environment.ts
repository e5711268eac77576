import type { StartOrder } from "./agent-driver.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Without these hardly any program begins. */
const BASICS: readonly string[] = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "LANG", "LC_*", "XDG_*"],
];

const fits = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );

/**
 * What an agent inherits of its supervisor's environment: what the supervisor has, since an agent's keys, proxies and
 * tools are there, but nothing of Holdfast's own.
 *
 * 1. Never what begins with `HOLDFAST_`: where the store is (with its password), what ends it under test.
 * 2. Never what the order withholds by name: addresses and signing secrets of receivers of notices.
 * 3. Never either of these under another name.
 * 4. With `inherit` in the agent's configuration only what it names, and what hardly any program does without.
 */
export function inheritedEnvironment(
  own: Environment,
  { spec, withheld = [] }: Partial<Pick<StartOrder, "spec" | "withheld">>,
): Record<string, string> {
  const isOurs = (name: string): boolean => name.startsWith("HOLDFAST_") || withheld.includes(name);
  const secrets = new Set(
    Object.entries(own).flatMap(([name, value]) => (isOurs(name) && isTelling(value) ? [value] : [])),
  );
  const allowed = spec?.inherit === undefined ? undefined : [...BASICS, ...spec.inherit];
  return Object.fromEntries(
    Object.entries(own).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        !isOurs(entry[0]) &&
        !secrets.has(entry[1]) &&
        (allowed === undefined || fits(entry[0], allowed)),
    ),
  );
}

/** A short value, or a path, stands under many names and is no secret. */
const isTelling = (value: string | undefined): boolean =>
  value !== undefined && value.length >= 12 && !value.startsWith("/");
