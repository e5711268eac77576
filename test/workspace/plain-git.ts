import { execFileSync } from "node:child_process";

/** Git as a user runs it, apart from the user's own configuration. */
export function plainGit(folder: string, args: readonly string[], env: Record<string, string> = {}): string {
  return execFileSync("git", [...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: "/nonexistent",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "user",
      GIT_AUTHOR_EMAIL: "user@localhost",
      GIT_COMMITTER_NAME: "user",
      GIT_COMMITTER_EMAIL: "user@localhost",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "init.defaultBranch",
      GIT_CONFIG_VALUE_0: "main",
      ...env,
    },
  });
}
