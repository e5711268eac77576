import { execFile } from "node:child_process";
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { Fault } from "../../model/fault.ts";

const GIT_LIMIT_MS = 30 * 60_000;

/**
 * A clone of a repository for a mission, by the user's own git. On disk: a folder beside it until it is whole, then its
 * name. One that is there already is found; what a kill has left of one is removed by the next try.
 */
export async function cloneFor(folder: string, url: string): Promise<string> {
  if (existsSync(folder)) return realpathSync(folder);
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
  await clone(url, part);
  renameSync(part, folder);
  return realpathSync(folder);
}

/**
 * Pushes a branch of a clone to where it was cloned from, by the user's own git, never by force. Hooks of the clone are not
 * run: agents have worked beside them. Done twice is done once.
 */
export async function pushTo(folder: string, url: string, branch: string): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const words = ["-C", folder, "-c", "core.hooksPath=/dev/null", "push", "--quiet", "--no-verify", "--", url];
  await byGit([...words, `${ref}:${ref}`], `${branch} cannot be pushed to ${url}`, "refused");
}

const clone = (url: string, into: string): Promise<void> =>
  byGit(["clone", "--quiet", "--", url, into], `${url} cannot be cloned`, "not_found");

const byGit = (words: readonly string[], what: string, code: "not_found" | "refused"): Promise<void> =>
  new Promise((resolve, reject) => {
    const options = { timeout: GIT_LIMIT_MS, env: { ...process.env, GIT_TERMINAL_PROMPT: "0" } };
    execFile("git", words, options, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Fault(code, `${what}: ${stderr.trim().slice(-500) || error.message}`));
    });
  });
