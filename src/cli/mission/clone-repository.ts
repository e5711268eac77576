import { execFile } from "node:child_process";
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { Fault } from "../../model/fault.ts";

const CLONE_LIMIT_MS = 30 * 60_000;

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

const clone = (url: string, into: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const options = { timeout: CLONE_LIMIT_MS, env: { ...process.env, GIT_TERMINAL_PROMPT: "0" } };
    execFile("git", ["clone", "--quiet", "--", url, into], options, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else
        reject(
          new Fault("not_found", `${url} cannot be cloned: ${stderr.trim().slice(-500) || error.message}`),
        );
    });
  });
