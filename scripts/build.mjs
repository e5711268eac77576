// Compiles src/ to dist/ on the pinned Node. With --if-stale it does nothing when dist/ already stands for src/.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { pinnedEnvironment, repository } from "./pinned-node.mjs";

const source = path.join(repository, "src");
const output = path.join(repository, "dist");
const digestFile = path.join(output, ".source-digest");

/** True when dist/ was made from exactly the sources and settings that are here now. */
export function buildIsFresh() {
  return existsSync(digestFile) && readFileSync(digestFile, "utf8") === sourceDigest();
}

/** Compiles, removes what no source stands for any more, and returns the compiler's exit code. */
export function build() {
  const digest = sourceDigest();
  rmSync(digestFile, { force: true });
  const done = spawnSync("tsc", ["-p", "tsconfig.build.json"], {
    cwd: repository,
    env: pinnedEnvironment(),
    stdio: "inherit",
  });
  if (done.status !== 0) return done.status ?? 1;
  mkdirSync(output, { recursive: true });
  removeLeftovers();
  writeFileSync(digestFile, digest);
  return 0;
}

function sourceDigest() {
  const settings = ["tsconfig.json", "tsconfig.build.json", "package-lock.json"].map((name) =>
    path.join(repository, name),
  );
  const hash = createHash("sha256");
  for (const file of [...settings, ...filesUnder(source)]) {
    const body = readFileSync(file);
    hash.update(`${path.relative(repository, file)}\n${body.length}\n`).update(body);
  }
  return hash.digest("hex");
}

function removeLeftovers() {
  const made = /(\.d\.ts|\.js)(\.map)?$/;
  for (const file of filesUnder(output)) {
    if (!made.test(file)) continue;
    const origin = path.join(source, path.relative(output, file)).replace(made, ".ts");
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
