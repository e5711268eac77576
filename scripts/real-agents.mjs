// Brings the real agents that tests run: at locked versions, apart from the package's dependencies. They are large, so
// they are installed once per machine and lock file, in the user's cache folder, and .cache/agents leads there.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { pinnedEnvironment, repository, toolchain } from "./pinned-node.mjs";

/** Those with a driver, which every `npm test` needs, and those without, which only the long tests play. */
const sets = {
  agents: {
    title: "the real agents that tests run (1.3 GB on disk, about a minute; once per machine)",
    words: ["ci"],
  },
  "other-agents": {
    title: "real agents without a driver of their own (0.8 GB on disk; once per machine)",
    // Not every registry has their builds for other machines, without which `npm ci` refuses; this keeps to the lock too.
    words: ["install", "--no-save"],
  },
};
const draftAgeMaxMs = 3_600_000;

/** Installs them unless they are there; undefined, or in words why it could not. `say` is told before it takes long. */
export function bringRealAgents(say, set = "agents") {
  const manifests = path.join(toolchain, set);
  const lock = readFileSync(path.join(manifests, "package-lock.json"));
  const digest = createHash("sha256").update(lock).digest("hex").slice(0, 16);
  const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache"), "holdfast");
  const home = path.join(cache, `${set}-${digest}`);
  try {
    if (!existsSync(home)) {
      const { title, words } = sets[set];
      say(`installing ${title}`);
      const problem = install({ cache, home, manifests, words });
      if (problem !== undefined) return problem;
    }
    leadTo(home, path.join(repository, ".cache", set));
    return undefined;
  } catch (error) {
    return error.message;
  }
}

/** A finished installation appears by rename, so that two setups at once, or a killed one, leave a whole one or none. */
function install({ cache, home, manifests, words }) {
  mkdirSync(cache, { recursive: true });
  removeOldDrafts(cache);
  const draft = `${home}.draft-${process.pid}`;
  mkdirSync(draft);
  for (const name of ["package.json", "package-lock.json", ".npmrc"])
    copyFileSync(path.join(manifests, name), path.join(draft, name));
  // No scripts: what the platform needs comes in packages, and nothing is fetched from elsewhere.
  const flags = [
    ...words,
    "--ignore-scripts",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const options = { cwd: draft, env: pinnedEnvironment(), stdio: ["ignore", "ignore", "inherit"] };
  const done = spawnSync("npm", flags, options);
  if (done.status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    return `npm ${words[0]} failed (${done.error?.message ?? `exit ${done.status ?? done.signal}`})`;
  }
  writeFileSync(
    path.join(draft, "README"),
    "Agents for the tests of Holdfast; may be removed at any time.\n",
  );
  try {
    renameSync(draft, home);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
  return undefined;
}

function removeOldDrafts(cache) {
  for (const name of readdirSync(cache).filter((entry) => entry.includes(".draft-"))) {
    const draft = path.join(cache, name);
    if (Date.now() - statSync(draft).mtimeMs > draftAgeMaxMs) rmSync(draft, { recursive: true, force: true });
  }
}

function leadTo(home, link) {
  if (existsSync(link) && readlinkSync(link) === home) return;
  mkdirSync(path.dirname(link), { recursive: true });
  const draft = `${link}.${process.pid}`;
  symlinkSync(home, draft);
  renameSync(draft, link);
}
