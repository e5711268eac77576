// Makes dist/ from src/ on the pinned Node: the types beside each other as in src/, and the programs in a few files,
// since loading hundreds of modules is most of what a short command costs; and the dashboard from web/. With --if-stale
// it does nothing when dist/ already stands for them.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { compiler, pinnedEnvironment, repository } from "./pinned-node.mjs";

const source = path.join(repository, "src");
const web = path.join(repository, "web");
const output = path.join(repository, "dist");
const digestFile = path.join(output, ".source-digest");

/** True when dist/ was made from exactly the sources and settings that are here now. */
export function buildIsFresh() {
  return existsSync(digestFile) && readFileSync(digestFile, "utf8") === sourceDigest();
}

/** Makes types and programs, removes what no source stands for any more, and returns an exit code. */
export function build() {
  const digest = sourceDigest();
  rmSync(digestFile, { force: true });
  const [program, ...args] = compiler;
  const made = run(program, [...args, "-p", "tsconfig.build.json"]);
  if (made !== 0) return made;
  mkdirSync(output, { recursive: true });
  removeLeftovers();
  const bundled = run("node", [path.join(repository, "scripts", "bundle.mjs"), output]);
  if (bundled !== 0) return bundled;
  const quickBundled = run("node", [path.join(repository, "scripts", "bundle-quick.mjs"), output]);
  if (quickBundled !== 0) return quickBundled;
  const webBundled = run("node", [
    path.join(repository, "scripts", "bundle-web.mjs"),
    path.join(output, "web"),
  ]);
  if (webBundled !== 0) return webBundled;
  leaveOutTypes();
  writeFileSync(digestFile, digest);
  return 0;
}

/** Types that nothing names which a user of the package imports stay here: the compiler makes only those that changed. */
function leaveOutTypes() {
  const { exports } = JSON.parse(readFileSync(path.join(repository, "package.json"), "utf8"));
  const named = new Set();
  const follow = (file) => {
    if (named.has(file) || !existsSync(file)) return;
    named.add(file);
    for (const [, other] of readFileSync(file, "utf8").matchAll(/\b(?:from |import\(|import )"(\.[^"]+)"/g))
      follow(path.resolve(path.dirname(file), other.replace(/\.[jt]s$/, ".d.ts")));
  };
  for (const { types } of Object.values(exports))
    if (types !== undefined) follow(path.join(repository, types));
  const others = filesUnder(output).filter((file) => file.endsWith(".d.ts") && !named.has(file));
  const lines = others.map((file) => `/${path.relative(output, file).split(path.sep).join("/")}`);
  writeFileSync(path.join(output, ".npmignore"), `${lines.join("\n")}\n`);
}

function run(program, args) {
  const done = spawnSync(program, args, { cwd: repository, env: pinnedEnvironment(), stdio: "inherit" });
  return done.status ?? 1;
}

function sourceDigest() {
  const settings = [
    "tsconfig.json",
    "tsconfig.build.json",
    "package-lock.json",
    "scripts/build.mjs",
    "scripts/bundle.mjs",
    "scripts/bundle-quick.mjs",
    "scripts/quick-parts.mjs",
    "scripts/bundle-web.mjs",
  ].map((name) => path.join(repository, name));
  const hash = createHash("sha256");
  for (const file of [...settings, ...filesUnder(source), ...filesUnder(web)]) {
    const body = readFileSync(file);
    hash.update(`${path.relative(repository, file)}\n${body.length}\n`).update(body);
  }
  return hash.digest("hex");
}

/** Programs are made anew each time, under names that change with what is in them; types only where they changed. */
function removeLeftovers() {
  const types = /\.d\.ts(\.map)?$/;
  for (const file of filesUnder(output)) {
    if (/\.c?js(\.map)?$/.test(file)) rmSync(file);
    if (!types.test(file)) continue;
    const origin = path.join(source, path.relative(output, file)).replace(types, ".ts");
    if (!existsSync(origin)) rmSync(file);
  }
}

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  if (!(process.argv.includes("--if-stale") && buildIsFresh())) process.exitCode = build();
}
