import { existsSync } from "node:fs";
import path from "node:path";
import { Fault } from "../../model/fault.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";

/** A script that lies outside of the folder is not in a worktree of it either: it is named by its whole path. */
export function scriptPath(text: string, cwd: string): string {
  const whole = path.resolve(cwd, text);
  return path.relative(cwd, whole).startsWith("..") && existsSync(whole) ? whole : text;
}

/** What `function:PATH[#EXPORT]` names. */
export function functionSpec(text: string, cwd: string): AgentSpec {
  const whole = path.resolve(cwd, text);
  if (existsSync(whole)) return { use: "function", module: whole };
  const [, module = text, name] = /^(.*?)(?:#([^#/]*))?$/s.exec(text) ?? [];
  const file = path.resolve(cwd, module);
  if (existsSync(file))
    return { use: "function", module: file, ...(name === undefined || name === "" ? {} : { export: name }) };
  throw new Fault(
    "usage",
    `the module ${file} of --agent function:${text} does not exist; expected function:PATH[#EXPORT]`,
  );
}
