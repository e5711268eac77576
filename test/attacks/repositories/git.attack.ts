import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { canariesThatRan, HOSTILE, makeCanary, type HostilePlace } from "../../workspace/hostile-places.ts";
import { plainGit } from "../../workspace/plain-git.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";

/** What Holdfast asks of git in the life below; test/workspace/hostile-repositories.int.ts proves the number. */
const CALLS = 25;

/** A whole life of a project: snapshots, restore, worktree, commit, merge, taking in, push and fetch. */
async function live(folder: string, project: string): Promise<void> {
  const workspace = gitWorkspace({ home: path.join(folder, "store"), world: realWorld(), recentMax: 0 });
  try {
    const place = { project, tree: project };
    const first = await workspace.snapshot({ ...place, key: "1", atMs: 1 });
    writeFileSync(path.join(project, "a.txt"), "changed\n");
    const second = await workspace.snapshot({ ...place, key: "2", atMs: 2 });
    await workspace.compare(place, first.id, second.id);
    await workspace.restore({ ...place, key: "r", atMs: 3, snapshot: first.id });
    await workspace.verify(place, first.id);
    const order = { key: "w", project, tree: path.join(folder, "tree"), branch: "holdfast/w" };
    const { tree, from } = await workspace.createWorktree(order);
    writeFileSync(path.join(tree, "c"), "work\n");
    const author = { name: "a", email: "a@localhost" };
    const commit = { key: "c", project, tree, atMs: 4, files: ["c"], message: "m", author };
    const committed = await workspace.commit({ ...commit, expected: { branch: "holdfast/w", commit: from } });
    if (committed.kind !== "committed") throw new Error(`not committed: ${committed.kind}`);
    await workspace.compareCommits(place, from, committed.commit);
    await workspace.tryMerge(place, from, committed.commit);
    await workspace.takeIn({ key: "t", project, commit: committed.commit, message: "m\n", author, atMs: 5 });
    await workspace.removeWorktree({ key: "d", project, tree, atMs: 5 });
    const remote = path.join(folder, "remote.git");
    plainGit(folder, ["init", "-q", "--bare", remote]);
    await workspace.push(project, first.id, remote);
    mkdirSync(path.join(folder, "other"));
    await workspace.fetch(path.join(folder, "other"), first.id, remote);
  } finally {
    await workspace.close();
  }
}

/** Only what a repository itself can hold; homes and environments are in the workspace's own tests. */
const inRepository = ({ name }: HostilePlace): boolean => !/home|environment|PATH/.test(name);

async function hostile({ folder, count }: Stage): Promise<Tried> {
  const succeeded: string[] = [];
  const groups = HOSTILE.slice(0, count).map((places) => places.filter(inRepository));
  for (const [at, places] of groups.entries()) {
    const here = path.join(folder, String(at));
    const [project, home, canaries] = ["project", "home", "canaries"].map((name) =>
      path.join(here, name),
    ) as [string, string, string];
    for (const one of [project, home]) mkdirSync(one, { recursive: true });
    plainGit(project, ["init", "-q", "-b", "main"]);
    for (const name of ["a.txt", "b.md", "c"]) writeFileSync(path.join(project, name), `${name}\n`);
    plainGit(project, ["add", "."]);
    plainGit(project, ["commit", "-q", "-m", "one"]);
    for (const place of places)
      place.plant({ project, home, env: {}, canary: makeCanary(canaries, place.name) });
    await live(here, project);
    succeeded.push(...canariesThatRan(canaries).map((name) => `${name} ran`));
  }
  return tried(groups.flat().length * CALLS, succeeded);
}

export const attacks: readonly Attack[] = [
  {
    // The short form is test/workspace/hostile-repositories.int.ts, which adds hostile homes and environments.
    ...{ threat: "T20", level: "any", promised: "prevented", count: { full: HOSTILE.length, short: 0 } },
    title: "a repository's configuration, hooks, filters and attributes name programs for git to run",
    run: hostile,
  },
];
