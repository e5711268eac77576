import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SandboxGit } from "./agents/sandbox/with-sandbox.ts";
import { errorText } from "./model/fault.ts";
import type { World } from "./model/world.ts";
import { fetchPrivateGit, preparePrivateGit } from "./workspace/git/private-git.ts";

/** Git directories of attempts in a sandbox, each in the folder of its session. */
export const sandboxGit = (shadows: string, world: World): SandboxGit => ({
  async prepare(tree, session) {
    mkdirSync(session, { recursive: true, mode: 0o700 });
    const folder = path.join(session, "git");
    const git = await preparePrivateGit({ tree, folder, shadows, world });
    if (git === null) return null;
    const { at, objects, pointer } = git;
    return {
      writes: { [at]: folder },
      reads: { ...objects, ...(pointer === null ? {} : { [pointer]: pointer }) },
    };
  },
  async fetch(session) {
    const failed = path.join(session, "git.failed");
    try {
      const kept = await fetchPrivateGit({ folder: path.join(session, "git"), shadows, world });
      rmSync(failed, { force: true });
      return kept === null ? null : `the branch was moved meanwhile: the agent's commits are kept as ${kept}`;
    } catch (error) {
      // The work is in the workspace; the commits stay where they are, with the reason beside them.
      const text = `the agent's commits were not taken over: ${errorText(error)}; they are in ${session}/git`;
      writeFileSync(failed, `${text}\n`, { mode: 0o600 });
      return text;
    }
  },
});
