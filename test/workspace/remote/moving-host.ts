import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { World } from "../../../src/model/world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { plainGit } from "../plain-git.ts";

/** Two hosts that have the same paths, one after the other: what the first had is put aside when the second comes. */
export class MovingHost {
  readonly folder: string;
  readonly project: string;
  readonly tree: string;
  readonly remote: string;

  constructor(folder: string) {
    this.folder = folder;
    this.project = path.join(folder, "project");
    this.tree = path.join(folder, "trees", "one");
    this.remote = path.join(folder, "remote.git");
  }

  /** A repository, the same on both, and the bare one that both reach. */
  begin(): void {
    if (existsSync(path.join(this.folder, "begun"))) return;
    mkdirSync(this.project, { recursive: true });
    plainGit(this.project, ["init", "-q", "-b", "main"]);
    this.write("a.txt", "one\n", this.project);
    this.write(".gitignore", "*.log\nnode_modules/\n", this.project);
    this.write(".env.example", "TOKEN=\n", this.project);
    plainGit(this.project, ["add", "."]);
    plainGit(this.project, ["commit", "-q", "-m", "one"]);
    plainGit(this.folder, ["init", "-q", "--bare", this.remote]);
    cpSync(this.project, path.join(this.folder, "clone"), { recursive: true });
    writeFileSync(path.join(this.folder, "begun"), "");
  }

  /** What an agent does: commits, changes, new files of all kinds, and files that are not to be sent. */
  work(): void {
    this.write("lib/b.txt", "committed\n");
    plainGit(this.tree, ["add", "lib"]);
    plainGit(this.tree, ["commit", "-q", "-m", "by the agent"]);
    this.write("a.txt", "changed and not committed\n");
    this.write("new/deep/c.bin", Buffer.from([0, 255, 10, 13, 0]));
    this.write("run.sh", "#!/bin/sh\n");
    chmodSync(path.join(this.tree, "run.sh"), 0o750);
    mkdirSync(path.join(this.tree, "empty"), { recursive: true });
    if (!existsSync(path.join(this.tree, "link"))) symlinkSync("a.txt", path.join(this.tree, "link"));
    this.write("made.log", "ignored\n");
    this.write("node_modules/x/index.js", "ignored\n");
    this.write(".env", "TOKEN=secret\n");
    this.write("keys/id_ed25519", "secret\n");
  }

  write(name: string, content: string | Buffer, within = this.tree): void {
    const file = path.join(within, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  workspace(name: "one" | "two", world: World): ReturnType<typeof gitWorkspace> {
    return gitWorkspace({ home: path.join(this.folder, `home-${name}`), world });
  }

  /** The first host is gone with all its files; the second has a clone of the repository at the same path. */
  swap(): void {
    const aside = path.join(this.folder, "gone");
    if (existsSync(path.join(aside, "trees"))) return;
    mkdirSync(aside, { recursive: true });
    if (!existsSync(path.join(aside, "project"))) renameSync(this.project, path.join(aside, "project"));
    if (!existsSync(this.project)) renameSync(path.join(this.folder, "clone"), this.project);
    renameSync(path.join(this.folder, "trees"), path.join(aside, "trees"));
  }

  readonly ports = { from: 20_000, count: 10 };
  readonly place = (): { project: string; tree: string } => ({ project: this.project, tree: this.tree });

  make(workspace: ReturnType<typeof gitWorkspace>): Promise<unknown> {
    return workspace.createWorktree({
      ...{ key: "make", project: this.project, tree: this.tree, branch: "holdfast/one" },
      ports: this.ports,
    });
  }

  head(): { readonly branch: string; readonly commit: string } {
    return { branch: "holdfast/one", commit: plainGit(this.tree, ["rev-parse", "HEAD"]).trim() };
  }
}
