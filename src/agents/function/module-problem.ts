import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { moduleMissing } from "./find-function.ts";

const CHECK_LIMIT_MS = 10_000;

/** Says on stderr what is wrong with a module of TypeScript, which `node --check` passes over where it is an ES module. */
const STRIP = `
try { require("node:module").stripTypeScriptTypes(require("node:fs").readFileSync(process.argv[1], "utf8")); }
catch (error) { if (error.code === "ERR_INVALID_TYPESCRIPT_SYNTAX") { console.error("SyntaxError: " + error.message); process.exit(1); } }
`;

/** Why a module cannot be loaded, as far as that is known without running it; null where nothing speaks against it. */
export function moduleProblem(file: string, name: string): string | null {
  if (!existsSync(file)) return moduleMissing(file, name);
  const words = /\.[cm]?ts$/u.test(file) ? ["--no-warnings", "-e", STRIP, file] : ["--check", file];
  const { error, status, stderr } = spawnSync(process.execPath, words, {
    encoding: "utf8",
    timeout: CHECK_LIMIT_MS,
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (error !== undefined || status !== 1) return null;
  const said = /^\w*Error.*$/mu.exec(stderr)?.[0] ?? stderr.trim().split("\n")[0] ?? "";
  return `the module ${file} cannot be loaded: ${said}`;
}
