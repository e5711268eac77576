import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { World } from "../../src/model/world.ts";
import { gitWorkspace } from "../../src/workspace/git-workspace.ts";
import { plainGit } from "./plain-git.ts";

/**
 * A short life of a project and a worktree: edits of an agent and a person, and an order after each. Every order has its
 * key, so a life that was cut off anywhere is lived on by the same call.
 *
 * `progress` counts the finished orders; `bytes` lists every content that stood in a tree when an order began.
 */
export async function liveOn(folder: string, world: World): Promise<void> {
  const workspace = gitWorkspace({ home: path.join(folder, "home"), world });
  try {
    const life = steps(folder, workspace);
    for (let at = finished(folder); at < life.length; at += 1) {
      const step = life[at];
      if (step === undefined) break;
      const mark = path.join(folder, `edited-${String(at)}`);
      if (!existsSync(mark)) {
        step.edit();
        writeFileSync(mark, "");
      }
      await step.order();
      appendFileSync(path.join(folder, "progress"), ".");
    }
  } finally {
    await workspace.close();
  }
}

export const finished = (folder: string): number =>
  existsSync(path.join(folder, "progress")) ? readFileSync(path.join(folder, "progress")).length : 0;

interface Step {
  edit(): void;
  order(): Promise<unknown>;
}

export const author = { name: "A User", email: "user@example.test" };

function steps(folder: string, workspace: ReturnType<typeof gitWorkspace>): Step[] {
  const project = path.join(folder, "project");
  const tree = path.join(folder, "trees", "one");
  const place = { project, tree: project };
  const write = (at: string, name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(at, name)), { recursive: true });
    writeFileSync(path.join(at, name), text);
    appendFileSync(path.join(folder, "bytes"), `${digestOf(text)} ${name}\n`);
  };
  const idOf = async (key: string): Promise<string> =>
    (await workspace.snapshots(project)).find((one) => one.key === key)?.id ?? "";
  const from = (): string => plainGit(project, ["rev-parse", "main"]).trim();
  return [
    {
      edit: () => {
        mkdirSync(project, { recursive: true });
        plainGit(project, ["init", "-q", "-b", "main"]);
        write(project, "a.txt", "one\n");
        write(project, "lib/b.txt", "bee\n");
        plainGit(project, ["add", "."]);
        plainGit(project, ["commit", "-q", "-m", "one"]);
        write(project, "untracked/c.txt", "see\n");
      },
      order: () => workspace.snapshot({ ...place, key: "first", atMs: 1 }),
    },
    {
      edit: () => {
        write(project, "a.txt", "two\n");
        rmSync(path.join(project, "lib"), { recursive: true, force: true });
        symlinkSync("untracked", path.join(project, "lib"));
        write(project, "untracked/d.txt", "extra work\n");
      },
      order: () => workspace.snapshot({ ...place, key: "second", atMs: 2 }),
    },
    {
      edit: () => {
        write(project, "e.txt", "in no snapshot yet\n");
        write(project, "a.txt", "three\n");
      },
      order: async () => workspace.restore({ ...place, key: "back", atMs: 3, snapshot: await idOf("first") }),
    },
    {
      edit: () => undefined,
      order: () => workspace.createWorktree({ key: "make", project, tree, branch: "holdfast/one" }),
    },
    {
      edit: () => {
        write(tree, "a.txt", "accepted\n");
        write(tree, "new.txt", "accepted too\n");
        write(tree, "scratch.txt", "not accepted\n");
      },
      order: () =>
        workspace.commit({
          key: "commit",
          project,
          tree,
          atMs: 4_000,
          files: ["a.txt", "new.txt"],
          message: "Accept",
          author,
          expected: { branch: "holdfast/one", commit: from() },
        }),
    },
    {
      edit: () => {
        write(tree, "scratch/more.txt", "left behind\n");
      },
      order: () => workspace.removeWorktree({ key: "remove", project, tree, atMs: 5 }),
    },
    {
      edit: () => undefined,
      order: () => workspace.release({ project, keys: ["second"] }),
    },
  ];
}

export const digestOf = (bytes: Uint8Array | string): string =>
  createHash("sha256").update(bytes).digest("hex");
