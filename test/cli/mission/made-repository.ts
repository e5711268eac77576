import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Git of the machine, by no configuration but the repository's own. */
export const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-C", folder, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_SYSTEM: "/dev/null",
      GIT_AUTHOR_NAME: "Ada",
      GIT_AUTHOR_EMAIL: "ada@example.org",
      GIT_COMMITTER_NAME: "Ada",
      GIT_COMMITTER_EMAIL: "ada@example.org",
    },
  }).trim();

/** A repository with one commit, whose only file tells its name. */
export function makeRepository(folder: string): string {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "--quiet", "--initial-branch", "main");
  commitFile(folder, "README.md", `# ${path.basename(folder)}\n`);
  return folder;
}

export function commitFile(folder: string, file: string, text: string): string {
  writeFileSync(path.join(folder, file), text);
  git(folder, "add", "--", file);
  git(folder, "commit", "--quiet", "--message", `change ${file}`);
  return git(folder, "rev-parse", "HEAD");
}

/** What stands on a branch, by file. */
export const filesOn = (folder: string, branch = "main"): string[] =>
  git(folder, "ls-tree", "-r", "--name-only", branch).split("\n").filter(Boolean);
