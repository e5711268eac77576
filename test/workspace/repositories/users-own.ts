import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { treeImage } from "../tree-image.ts";

/** What is the user's: files, refs, HEAD, index, stash, configuration and hooks; a key and a value for each thing. */
export type UsersOwn = ReadonlyMap<string, string>;

/** Git's output with every byte as a character, as keys of images are. */
export const gitBytes = (folder: string, args: readonly string[]): string =>
  execFileSync("git", ["-c", "core.quotePath=false", "--no-optional-locks", ...args], {
    cwd: folder,
    encoding: "latin1",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" },
  });

export function usersOwn(project: string): UsersOwn {
  const own = new Map<string, string>();
  for (const [name, value] of treeImage(project)) own.set(`file ${name}`, value);
  const [gitDir, common] = foldersOf(project);
  const refs = remembered(
    `refs ${project}`,
    marksOf(path.join(common, "packed-refs"), path.join(common, "refs")),
    () => gitBytes(project, ["for-each-ref", "--format=%(refname) %(objectname)"]),
  );
  for (const line of refs.split("\n")) {
    const [ref = "", oid = ""] = line.split(" ");
    if (ref !== "" && !/^refs\/(holdfast|heads\/holdfast|stash$)/.test(ref)) own.set(`ref ${ref}`, oid);
  }
  const index = remembered(`index ${project}`, marksOf(path.join(gitDir, "index")), () =>
    gitBytes(project, ["ls-files", "-s", "-v", "-z"]),
  );
  for (const entry of index.split("\0")) {
    const tab = entry.indexOf("\t");
    if (tab > 0) own.set(`index ${entry.slice(tab + 1)} ${stageOf(entry)}`, entry.slice(0, tab));
  }
  for (const [name, file] of gitFiles(project)) own.set(name, file);
  own.set("stash", stashOf(project).users.join("\n"));
  return own;
}

const memory = new Map<string, { readonly marks: string; readonly said: string }>();

/** What git said, where none of the files has changed that it read: git replaces each of them by another file. */
function remembered(what: string, marks: string, ask: () => string): string {
  const known = memory.get(what);
  if (known?.marks === marks) return known.said;
  const said = ask();
  memory.set(what, { marks, said });
  return said;
}

export const forgetMemory = (project: string): void => {
  for (const what of ["refs", "index"]) memory.delete(`${what} ${project}`);
};

/** Changes with each file there that is made, replaced, written or removed. */
function marksOf(...at: readonly string[]): string {
  return at
    .map((one) => {
      const stat = lstatSync(one, { bigint: true, throwIfNoEntry: false });
      if (stat === undefined) return `${one} -`;
      const own = `${one} ${String(stat.ino)} ${String(stat.ctimeNs)} ${String(stat.size)}`;
      return stat.isDirectory() ? marksOf(...readdirSync(one).map((name) => path.join(one, name))) : own;
    })
    .join("\n");
}

/** Entries of the stash, oldest first: those that agents made on the run's branch, and all others. */
export function stashOf(project: string): { readonly users: string[]; readonly agents: string[] } {
  const log = path.join(foldersOf(project)[1], "logs/refs/stash");
  const lines = existsSync(log) ? readFileSync(log, "latin1").split("\n") : [];
  // Without the entry before, which is another one once an agent's was taken out.
  const entries = lines.filter((line) => line !== "").map((line) => line.slice(line.indexOf(" ") + 1));
  const isAgents = (entry: string): boolean => / on holdfast\/story: /i.test(entry);
  return { users: entries.filter((entry) => !isAgents(entry)), agents: entries.filter(isAgents) };
}

const stageOf = (entry: string): string => entry.slice(0, entry.indexOf("\t")).split(" ").at(-1) ?? "";

/** What the repository says beside its refs; of a rebase under way all of its files. */
function gitFiles(project: string): [string, string][] {
  const [own, common] = foldersOf(project);
  const read = (at: string): string =>
    existsSync(at) ? createHash("sha256").update(readFileSync(at)).digest("hex") : "-";
  const files = [
    path.join(own, "HEAD"),
    ...["config", "info/exclude", "info/attributes", "shallow"].map((name) => path.join(common, name)),
    ...["hooks", "rebase-merge", "rebase-apply"].flatMap((name) => filesIn(path.join(own, name))),
    ...["MERGE_HEAD", "CHERRY_PICK_HEAD", "ORIG_HEAD"].map((name) => path.join(own, name)),
  ];
  return files.map((file) => [`git ${path.relative(common, file)}`, read(file)]);
}

/** Of its own and of all its worktrees, as git's `.git` files say. */
function foldersOf(project: string): readonly [string, string] {
  const link = path.join(project, ".git");
  if (lstatSync(link).isDirectory()) return [link, link];
  const own = path.resolve(project, readFileSync(link, "utf8").replace("gitdir: ", "").trim());
  return [own, path.resolve(own, readFileSync(path.join(own, "commondir"), "utf8").trim())];
}

const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => path.join(folder, name))
    : [];

export type Differences = ReadonlyMap<string, readonly [string | undefined, string | undefined]>;

export function differences(before: UsersOwn, after: UsersOwn): Differences {
  const found = new Map<string, readonly [string | undefined, string | undefined]>();
  for (const key of new Set([...before.keys(), ...after.keys()]))
    if (before.get(key) !== after.get(key)) found.set(key, [before.get(key), after.get(key)]);
  return found;
}

export const shown = (found: Differences): string[] =>
  [...found]
    .slice(0, 10)
    .map(([key, [before = "-", after = "-"]]) => `${JSON.stringify(key)}: ${before} → ${after}`);
