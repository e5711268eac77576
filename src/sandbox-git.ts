import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SandboxGit } from "./agents/sandbox/with-sandbox.ts";
import { errorText } from "./model/fault.ts";
import { fetchPrivateGit, preparePrivateGit } from "./workspace/private-git.ts";

/** Git directories of attempts in a sandbox, each in the folder of its session. */
export const sandboxGit = (veils: string): SandboxGit => ({
  async prepare(tree, session) {
    mkdirSync(session, { recursive: true, mode: 0o700 });
    const folder = path.join(session, "git");
    const git = await preparePrivateGit({ tree, folder, veils });
    if (git === null) return null;
    const { at, objects, pointer } = git;
    return {
      writes: { [at]: folder },
      reads: { ...objects, ...(pointer === null ? {} : { [pointer]: pointer }) },
    };
  },
  async fetch(session) {
    try {
      await fetchPrivateGit({ folder: path.join(session, "git"), veils });
    } catch (error) {
      // The work is in the workspace; the commits stay where they are, with the reason beside them.
      writeFileSync(path.join(session, "git.failed"), `${errorText(error)}\n`, { mode: 0o600 });
    }
  },
});
