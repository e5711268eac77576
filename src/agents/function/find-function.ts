import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { FunctionAgent } from "./function-agent.ts";
import { errorText } from "../../model/fault.ts";

export type FunctionLookup =
  | { readonly kind: "found"; readonly run: FunctionAgent; readonly detail: string }
  | { readonly kind: "missing"; readonly text: string };

/** A function that the library's user registered under a name. */
export function findRegistered(name: string, registered: ReadonlyMap<string, FunctionAgent>): FunctionLookup {
  const run = registered.get(name);
  if (run !== undefined) return { kind: "found", run, detail: `registered function "${name}"` };
  const known = [...registered.keys()].map((key) => `"${key}"`).join(", ");
  return {
    kind: "missing",
    text:
      `no function is registered as "${name}"; expected ${known === "" ? "one to be registered" : `one of ${known}`}, ` +
      `or \`module\` in the agent's settings: the path of a module that exports it`,
  };
}

/** Loads a module, which is code of the user: only in a process of its own. */
export async function findInModule(file: string, name: string): Promise<FunctionLookup> {
  if (!existsSync(file)) return { kind: "missing", text: moduleMissing(file, name) };
  let module: Record<string, unknown>;
  try {
    module = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    return { kind: "missing", text: `the module ${file} could not be loaded: ${errorText(error)}` };
  }
  const found = Object.hasOwn(module, name) ? module[name] : undefined;
  if (typeof found === "function")
    return { kind: "found", run: found as FunctionAgent, detail: `"${name}" of ${file}` };
  const exported = Object.keys(module).join(", ");
  return {
    kind: "missing",
    text:
      `the module ${file} exports ${found === undefined ? `no "${name}"` : `"${name}", which is no function`}; ` +
      `expected a function, and it exports ${exported === "" ? "nothing" : exported}`,
  };
}

export const moduleMissing = (file: string, name: string): string =>
  `the module ${file} does not exist; expected a file that exports "${name}"`;

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
