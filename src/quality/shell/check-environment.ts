/** What would make a check look at another tree, run other code first, or take itself for a part of our own tests. */
const MISLEADING = new Set([
  ...["BASH_ENV", "ENV", "NODE_TEST_CONTEXT", "OLDPWD", "PWD"],
  ...["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"],
]);

/** Words by which people name secrets. A check runs what an agent wrote, and what it prints is kept. */
const SECRET =
  /(^|_)(TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|API_?KEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY)(_|$)/i;

const isSafe = (name: string): boolean =>
  !MISLEADING.has(name) && !name.startsWith("HOLDFAST_") && !SECRET.test(name);

/** The supervisor's environment without what is its own affair. What is ordered wins: a secret may be ordered by name. */
export function checkEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  ordered: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  return { ...Object.fromEntries(Object.entries(own).filter(([name]) => isSafe(name))), ...ordered };
}
