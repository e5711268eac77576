import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const FOLDER = import.meta.dirname;
const BUILD = path.join(FOLDER, "..", "..", "scripts", "build.mjs");
const STAMP = path.join(FOLDER, "node_modules", ".setup-stamp");
const LIMIT_MS = 900_000;

/** Brings the packages of the others from their own lock file, running none of their scripts, and builds ours. */
export function installPeers(progress: (text: string) => void): void {
  const digest = createHash("sha256")
    .update(readFileSync(path.join(FOLDER, "package-lock.json")))
    .digest("hex");
  if (!existsSync(STAMP) || readFileSync(STAMP, "utf8") !== digest) {
    progress("installing the others into bench/peers");
    must("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    writeFileSync(STAMP, digest);
  }
  must(process.execPath, [BUILD, "--if-stale"]);
}

function must(program: string, args: readonly string[]): void {
  const stdio = ["ignore", "ignore", "inherit"] as const;
  const done = spawnSync(program, args, { cwd: FOLDER, stdio: [...stdio], timeout: LIMIT_MS });
  if (done.status === 0) return;
  const how = done.error?.message ?? `exit ${String(done.status ?? done.signal)}`;
  throw new Error(`${[program, ...args].join(" ")} failed in bench/peers: ${how}`);
}
