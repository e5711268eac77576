// Brings what a checkout lacks: the pinned Node, the packages, and the parts of the system. Safe to repeat; when
// nothing is missing it says nothing. Usage: node scripts/setup.mjs [--for build|start|test|agents]
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  machineNodeIsEnough,
  pinnedEnvironment,
  pinnedNodePackage,
  pinnedNodePath,
  pinnedNodeVersion,
  repository,
  toolchain,
} from "./pinned-node.mjs";
import { bringRealAgents } from "./real-agents.mjs";
import { systemParts } from "./system-parts.mjs";

const nodeMajorLeast = 20;
const examples = path.join(repository, "examples");
const purposes = ["build", "start", "test", "agents"];

export class SetupFailed extends Error {}

/** Brings everything that `purpose` needs; throws SetupFailed, in words for a person, where it cannot. */
export function setUp(purpose) {
  if (Number(process.versions.node.split(".")[0]) < nodeMajorLeast) {
    throw new SetupFailed(
      `this is Node ${process.versions.node}; install Node ${nodeMajorLeast} or newer and repeat`,
    );
  }
  bringPinnedNode();
  bringPackages();
  if (purpose === "test" || purpose === "agents") bringExamples();
  bringSystemParts(purpose === "agents" ? "test" : purpose);
  if (purpose === "test" || purpose === "agents") bringAgents();
  if (purpose === "agents") bringAgents("other-agents");
}

function bringPinnedNode() {
  if (pinnedNodePackage() === undefined) {
    if (machineNodeIsEnough()) return;
    throw new SetupFailed(
      `no Node 24 is published for ${process.platform}-${process.arch}, and this is Node ${process.versions.node}; install Node 24`,
    );
  }
  if (stampHolds(toolchain) && pinnedNodePath() !== undefined) return;
  say(`installing Node ${pinnedNodeVersion()} into toolchain/ (190 MB on disk)`);
  npm(toolchain, ["ci"]);
  if (pinnedNodePath() === undefined) {
    throw new SetupFailed(
      "npm left no Node in toolchain/node_modules; is `omit=optional` set in your npm configuration?",
    );
  }
  stamp(toolchain);
}

function bringPackages() {
  if (stampHolds(repository)) return;
  if (!installedAsLocked()) {
    say("installing packages (340 MB on disk, about half a minute)");
    npm(repository, ["ci"]);
  }
  stamp(repository);
}

/**
 * What the examples use, and the package itself does not. None of it runs a script here. The lock names builds for
 * this kind of machine only, which `npm ci` refuses elsewhere; `install --no-save` keeps to it and leaves it as it is.
 */
function bringExamples() {
  if (stampHolds(examples)) return;
  say("installing packages of the examples (220 MB on disk)");
  npm(examples, ["install", "--no-save", "--ignore-scripts"]);
  stamp(examples);
}

function npm(folder, words) {
  const flags = [
    ...words,
    "--include=dev",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const done = spawnSync("npm", flags, {
    cwd: folder,
    env: pinnedEnvironment(),
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (done.status !== 0) {
    const how = done.error?.message ?? `exit ${done.status ?? done.signal}`;
    throw new SetupFailed(
      `npm ${words[0]} failed in ${path.relative(repository, folder) || "the checkout"} (${how}); see above, then repeat`,
    );
  }
}

function stampHolds(folder) {
  const file = stampFile(folder);
  return existsSync(file) && readFileSync(file, "utf8") === lockDigest(folder);
}

function stamp(folder) {
  writeFileSync(stampFile(folder), lockDigest(folder));
}

function stampFile(folder) {
  return path.join(folder, "node_modules", ".setup-stamp");
}

function lockDigest(folder) {
  return createHash("sha256")
    .update(readFileSync(path.join(folder, "package-lock.json")))
    .digest("hex");
}

/** True when somebody already ran npm here: npm's own record of what it installed agrees with the lock. */
function installedAsLocked() {
  const record = path.join(repository, "node_modules", ".package-lock.json");
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, "utf8")).packages;
  const locked = JSON.parse(readFileSync(path.join(repository, "package-lock.json"), "utf8")).packages;
  return Object.entries(locked).every(([where, wanted]) => {
    if (where === "" || (wanted.optional === true && installed[where] === undefined)) return true;
    return installed[where]?.integrity === wanted.integrity;
  });
}

function bringSystemParts(purpose) {
  const missing = () => systemParts.filter((part) => part.neededFor.includes(purpose) && !part.found());
  const lacking = missing();
  if (lacking.length === 0) return;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) installFromDebian(lacking);
  const left = missing();
  if (left.length === 0) return;
  say("please install:");
  for (const part of left) say(`  ${part.name} (Debian package ${part.debian}): ${part.purpose}`);
  if (purpose === "start") throw new SetupFailed("the demo cannot run without them");
  say("until then the tests that need them are skipped");
}

function bringAgents(set = "agents") {
  const problem = bringRealAgents(say, set);
  const which = set === "agents" ? "the real agents" : "real agents without a driver";
  if (problem !== undefined)
    say(`${which} are not installed: ${problem}; until then the tests that need them are skipped`);
}

function installFromDebian(parts) {
  say(`installing ${parts.map((part) => part.name).join(", ")} with apt-get`);
  const packages = parts.map((part) => part.debian);
  for (const args of [
    ["update", "-qq"],
    ["install", "-y", "-qq", "--no-install-recommends", ...packages],
  ]) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const done = spawnSync("apt-get", args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    if (done.status !== 0)
      say(`apt-get ${args[0]} failed: ${(done.stderr ?? "").trim() || done.error?.message}`);
  }
}

function say(line) {
  process.stderr.write(`setup: ${line}\n`);
}

/** Sets up for `purpose`, and ends the process with a plain sentence where that cannot be done. */
export function setUpOrExit(purpose) {
  try {
    setUp(purpose);
  } catch (error) {
    if (!(error instanceof SetupFailed)) throw error;
    say(error.message);
    process.exit(1);
  }
}

function purposeFromArguments(args) {
  const purpose = args.length === 0 ? "build" : args[1];
  if (args.length > 0 && (args[0] !== "--for" || args.length !== 2 || !purposes.includes(purpose))) {
    say(`${args.join(" ")} is not understood; usage: node scripts/setup.mjs [--for ${purposes.join("|")}]`);
    process.exit(2);
  }
  return purpose;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  setUpOrExit(purposeFromArguments(process.argv.slice(2)));
}
