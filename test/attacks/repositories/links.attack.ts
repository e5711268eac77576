import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { outputSchema } from "../../../src/model/effects/artifact.ts";
import { realWorld } from "../../../src/real-world.ts";
import { fileArtifacts } from "../../../src/workspace/accept/file-artifacts.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { plainGit } from "../../workspace/plain-git.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";
import { sample } from "../sample.ts";

/** The swapper ends by itself, even where nobody ends it. */
const RACE_MS_MAX = 120_000;
const HANDED = "handed\n";
const SECRET = "a secret outside of the tree\n";

/** Paths that might lead out of a folder, as declared outputs and as names of steps. */
const PATHS: readonly string[] = [
  ...[
    "..",
    "../secret",
    "../../secret",
    "a/../../secret",
    "a/../../../etc/passwd",
    "./../secret",
    "a/./../../secret",
  ],
  ...[
    "/etc/passwd",
    "//etc/passwd",
    "/",
    "",
    ".",
    "./a",
    "a/.",
    "a//b",
    "a/",
    "\\..\\secret",
    "..\\secret",
    "a\\..\\..\\b",
  ],
  ...["C:\\secret", "C:/secret", "c:secret", "\\\\host\\share", "a\0b", "\0", "../secret\0.txt", "secret\0"],
  ...[".git/config", ".git/hooks/pre-commit", "a/.git/config", ".GIT/config", ".Git/HEAD", ".git"],
  ...[
    "link",
    "link/secret",
    "folder-link/secret",
    "deep/folder-link/secret",
    "folder-link/../secret",
    "loop",
    "loop/loop",
  ],
  ...[
    "dangling",
    "proc-link",
    "proc-link/environ",
    "hard/../link",
    "link/",
    "link/.",
    "folder-link",
    "folder-link/",
  ],
  ...[
    "%2e%2e/secret",
    "%2e%2e%2fsecret",
    "..%2fsecret",
    "%252e%252e/secret",
    "..;/secret",
    ".../secret",
    "....//secret",
  ],
  ...[
    "\u2024\u2024/secret",
    "\uff0e\uff0e/secret",
    "..\u2215secret",
    "..\u2044secret",
    "~/secret",
    "~root/secret",
    "$HOME/secret",
  ],
];

function plant(tree: string, outside: string): void {
  mkdirSync(path.join(tree, "deep"), { recursive: true });
  mkdirSync(path.join(tree, "hard"));
  mkdirSync(path.join(tree, ".git", "hooks"), { recursive: true });
  mkdirSync(outside, { recursive: true });
  for (const at of [path.join(outside, "secret"), path.join(tree, "..", "secret")]) writeFileSync(at, SECRET);
  for (const at of [".git/config", ".git/HEAD"]) writeFileSync(path.join(tree, at), SECRET);
  symlinkSync(path.join(outside, "secret"), path.join(tree, "link"));
  symlinkSync(outside, path.join(tree, "folder-link"));
  symlinkSync(outside, path.join(tree, "deep", "folder-link"));
  symlinkSync("loop", path.join(tree, "loop"));
  symlinkSync("/nowhere", path.join(tree, "dangling"));
  symlinkSync("/proc/self", path.join(tree, "proc-link"));
}

async function paths({ folder, count, seed }: Stage): Promise<Tried> {
  const [tree, outside] = [path.join(folder, "in", "tree"), path.join(folder, "outside")];
  plant(tree, outside);
  const home = path.join(folder, "home");
  const artifacts = fileArtifacts({ world: realWorld(), folder: home });
  const tries = sample(PATHS, count, seed);
  const succeeded: string[] = [];
  for (const name of tries) {
    const declared = outputSchema.safeParse({ path: name });
    // What a flow may not even declare is tried on the reader too: it must not depend on its callers.
    const report = await artifacts
      .collect({ tree, outputs: [{ path: name }], fileBytesMax: 10_000 })
      .catch(() => null);
    for (const artifact of report?.artifacts ?? []) {
      const bytes = await artifacts.read(artifact.digest);
      if (bytes === null || !Buffer.from(bytes).equals(Buffer.from(SECRET))) continue;
      if (declared.success) succeeded.push(`${JSON.stringify(name)} was read`);
      else if (!/\.git/i.test(name))
        succeeded.push(`${JSON.stringify(name)} may not be declared, but is read`);
    }
    const digest = await artifacts.keep(Buffer.from(HANDED));
    const handed = [
      { step: name, path: "f", digest, bytes: 7 },
      { step: "s", path: name, digest, bytes: 7 },
    ];
    const key = `k${String(tries.indexOf(name))}`;
    for (const one of handed) await artifacts.hand({ key, artifacts: [one] }).catch(() => null);
    const secret = [path.join(outside, "secret"), path.join(tree, "..", "secret")].map((file) =>
      readFileSync(file, "utf8"),
    );
    if (secret.some((text) => text !== SECRET)) succeeded.push(`${JSON.stringify(name)} was written through`);
  }
  const astray = filesWith(folder, HANDED).filter(
    (file) => !/^home\/(kept\/|handed\/[0-9a-f]+\/)/.test(path.relative(folder, file)),
  );
  return tried(tries.length * 3, [...succeeded, ...astray.map((file) => `${file} was written`)]);
}

/** Without going through links. */
const filesWith = (folder: string, text: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesWith(file, text);
    return entry.isFile() && readFileSync(file, "utf8") === text ? [file] : [];
  });

/** A folder on the way changes into a link and back while outputs are read. */
async function race({ folder, count }: Stage): Promise<Tried> {
  const [tree, outside] = [path.join(folder, "tree"), path.join(folder, "outside")];
  mkdirSync(path.join(tree, "d"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(path.join(tree, "d", "f"), "inside\n");
  writeFileSync(path.join(outside, "f"), SECRET);
  symlinkSync(outside, path.join(tree, "l"));
  const artifacts = fileArtifacts({ world: realWorld(), folder: path.join(folder, "home") });
  const swaps = `const { renameSync: r } = require("node:fs"); process.chdir(${JSON.stringify(tree)});
    const end = Date.now() + ${String(RACE_MS_MAX)};
    while (Date.now() < end) { r("d", "x"); r("l", "d"); r("x", "l"); }`;
  const swapper = spawn(process.execPath, ["-e", swaps], { stdio: "ignore" });
  const ended = once(swapper, "exit");
  let seen = 0;
  const succeeded: string[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const report = await artifacts.collect({ tree, outputs: [{ path: "d/f" }], fileBytesMax: 100 });
    for (const { digest } of report.artifacts) {
      const bytes = await artifacts.read(digest);
      if (bytes !== null && Buffer.from(bytes).toString() === SECRET)
        succeeded.push("a file outside of the tree was read");
      seen += 1;
    }
  }
  swapper.kill("SIGKILL");
  await ended;
  assert.ok(seen > 0, "the file inside was never read: the race was not run");
  return tried(count, succeeded);
}

/** Links out of a tree, through its whole life: kept as links, never followed to write or to remove. */
async function links({ folder }: Stage): Promise<Tried> {
  const [project, outside] = [path.join(folder, "project"), path.join(folder, "outside")];
  mkdirSync(project);
  plainGit(project, ["init", "-q", "-b", "main"]);
  rmSync(path.join(project, ".git", "hooks"), { recursive: true, force: true });
  mkdirSync(outside);
  writeFileSync(path.join(outside, "secret"), SECRET);
  mkdirSync(path.join(project, "dir"));
  writeFileSync(path.join(project, "dir", "file"), "mine\n");
  plainGit(project, ["add", "."]);
  plainGit(project, ["commit", "-q", "-m", "one"]);
  const workspace = gitWorkspace({ home: path.join(folder, "store"), world: realWorld(), recentMax: 0 });
  const succeeded: string[] = [];
  const sound = (what: string): void => {
    if (readFileSync(path.join(outside, "secret"), "utf8") !== SECRET)
      succeeded.push(`${what} wrote through a link`);
  };
  try {
    const place = { project, tree: project };
    const plain = await workspace.snapshot({ ...place, key: "1", atMs: 1 });
    // The agent turns a folder and a file into links that lead out.
    rmSync(path.join(project, "dir"), { recursive: true });
    symlinkSync(outside, path.join(project, "dir"));
    symlinkSync(path.join(outside, "secret"), path.join(project, "link"));
    const linked = await workspace.snapshot({ ...place, key: "2", atMs: 2 });
    const kept = await workspace.readFile(place, linked.id, "link");
    if (kept === null || Buffer.from(kept).toString() !== path.join(outside, "secret"))
      succeeded.push("a snapshot holds what a link leads to");
    if ((await workspace.readFile(place, linked.id, "dir/secret")) !== null)
      succeeded.push("a snapshot went through a link");
    await workspace.restore({ ...place, key: "r", atMs: 3, snapshot: plain.id });
    sound("a restore");
    if (lstatSync(path.join(project, "dir")).isSymbolicLink())
      succeeded.push("a restore left a link in the way");
    await workspace.restore({ ...place, key: "r2", atMs: 4, snapshot: linked.id });
    sound("a restore of links");
    if (readlinkSync(path.join(project, "link")) !== path.join(outside, "secret"))
      succeeded.push("a restored link leads elsewhere");
    const order = { key: "w", project, tree: path.join(folder, "tree"), branch: "holdfast/w" };
    const { tree } = await workspace.createWorktree(order);
    rmSync(path.join(tree, "dir"), { recursive: true, force: true });
    symlinkSync(outside, path.join(tree, "dir"));
    symlinkSync(outside, path.join(tree, "node_modules"));
    await workspace.removeWorktree({ key: "d", project, tree, atMs: 5 });
    sound("removing a worktree");
    return tried(6, succeeded);
  } finally {
    await workspace.close();
  }
}

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T18", level: "any", promised: "prevented", count: { full: PATHS.length, short: 20 } },
    title: "paths of outputs and names of steps lead out of the tree or the folder of artifacts",
    run: paths,
  },
  {
    ...{ threat: "T18", level: "any", promised: "prevented", count: { full: 10_000, short: 100 } },
    title: "a folder on the way to an output is swapped for a link while it is read",
    run: race,
  },
  {
    ...{ threat: "T19", level: "any", promised: "prevented", count: { full: 1, short: 1 } },
    title: "links that lead out of a tree go through snapshot, restore and removal",
    run: links,
  },
];
