import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const IDENTITY = ["-c", "user.name=Ada", "-c", "user.email=ada@example.invalid"];

export const gitIn =
  (folder: string) =>
  (...args: string[]): string =>
    execFileSync("git", ["-C", folder, ...IDENTITY, ...args], { encoding: "utf8", env: plainEnv() }).trim();

const plainEnv = (): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
});

/** A repository with two commits, a tag and unstaged work. */
export function realRepository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const git = gitIn(folder);
  git("init", "-q", "-b", "main");
  writeFileSync(path.join(folder, "work.txt"), "one\n");
  git("add", "-A");
  git("commit", "-qm", "one");
  git("tag", "v1");
  writeFileSync(path.join(folder, "work.txt"), "two\n");
  git("commit", "-qam", "two");
  writeFileSync(path.join(folder, "work.txt"), "mine, not committed\n");
}

/** Refs of people, HEAD, what is staged and the stash: what a sealed agent must not have changed. */
export const pictureOf = (folder: string): string => {
  const git = gitIn(folder);
  const refs = git("for-each-ref", "--format=%(refname) %(objectname)")
    .split("\n")
    .filter((line) => !line.startsWith("refs/holdfast/"));
  return [git("symbolic-ref", "HEAD"), ...refs, git("ls-files", "-s"), git("stash", "list")].join("\n");
};

/** Runs an act as a sealed agent would: with its environment, by the real path. */
export function actAs(act: string, real: string, env: Readonly<Record<string, string>>): void {
  execFileSync("sh", ["-c", act], { env: { ...plainEnv(), REAL: real, ...env }, stdio: "pipe" });
}
