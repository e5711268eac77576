import type { EnvironmentSettings } from "../settings/environment-settings.ts";
import { fits, isListed } from "../settings/passed-environment.ts";

/** What would make a check look at another tree, run other code first, or take itself for a part of our own tests. */
const MISLEADING = new Set([
  ...["BASH_ENV", "ENV", "NODE_TEST_CONTEXT", "OLDPWD", "PWD", "SHLVL", "_"],
  ...["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"],
]);

/** Words by which people name secrets. A check runs what an agent wrote, and what it prints is kept. */
const SECRET =
  /(^|_)(TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|API_?KEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY)(_|$)/i;

type Environment = Readonly<Record<string, string | undefined>>;

/** What nobody misses: it is Holdfast's own, or says where the supervisor happens to be. */
const isNever = (name: string): boolean => MISLEADING.has(name) || name.startsWith("HOLDFAST_");

/** One that is passed by name may be a secret. */
const isPassed = (name: string, { inherit, pass }: EnvironmentSettings): boolean =>
  !isNever(name) && (fits(name, pass) || ((inherit === "all" || isListed(name)) && !SECRET.test(name)));

/**
 * What a check, a hook or the action of a gate gets of the supervisor's environment: what programs commonly need, and
 * what is passed by name. What is ordered wins.
 */
export function commandEnvironment(
  own: Environment,
  ordered: Readonly<Record<string, string>>,
  settings: EnvironmentSettings,
): Record<string, string | undefined> {
  return {
    ...Object.fromEntries(Object.entries(own).filter(([name]) => isPassed(name, settings))),
    ...ordered,
  };
}

/** The names of variables that the supervisor has and a check does not get. */
export const withheldNames = (own: Environment, settings: EnvironmentSettings): string[] =>
  Object.keys(own)
    .filter((name) => own[name] !== undefined && !isNever(name) && !isPassed(name, settings))
    .sort();

const NAMES_MAX = 10;

/** For a check that did not pass: which of the variables that it speaks of were withheld, and the line that passes them. */
export function withheldText(withheld: readonly string[], spoken: string): string {
  const words = new Set(spoken.match(/[A-Za-z_][A-Za-z0-9_]{0,200}/g) ?? []);
  const named = withheld.filter((name) => words.has(name)).slice(0, NAMES_MAX);
  if (named.length === 0) return "";
  const names = named.join(", ");
  return `${names} ${named.length === 1 ? "is" : "are"} set for the supervisor and withheld from this command; to pass ${named.length === 1 ? "it" : "them"}, write "env: { pass: [${names}] }" into your own holdfast.yaml (holdfast config show names it)`;
}
