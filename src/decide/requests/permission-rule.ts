import type {
  PermissionPolicy,
  PermissionRule,
  Permissions,
  ToolUse,
} from "../../model/flow/permission-rules.ts";
import { matchesPattern } from "../../model/text/wildcards.ts";

/** What becomes of a request for permission, and what says so. */
export interface PermissionRuling {
  readonly then: PermissionPolicy;
  readonly rule: string;
}

/**
 * The first rule that is about a request decides; where none is, the default does (A9). Nothing is guessed: a rule that
 * names what the agent did not report is not about it, but where such a rule would ask or deny, a person is asked.
 */
export function permissionRuling(
  permissions: Permissions | undefined,
  use: ToolUse,
  folder: string,
): PermissionRuling {
  if (permissions === undefined || typeof permissions === "string")
    return { then: permissions ?? "ask", rule: `permissions: ${permissions ?? "ask"}` };
  for (const [at, rule] of (permissions.rules ?? []).entries()) {
    const found = isAbout(rule, use, folder);
    if (found === "yes") return { then: rule.then, rule: ruleText(at, rule) };
    if (found === "unknown" && rule.then !== "allow")
      return { then: "ask", rule: `${ruleText(at, rule)}; the agent did not report what it is about` };
  }
  const then = permissions.default ?? "ask";
  return { then, rule: `default: ${then}` };
}

type Found = "yes" | "no" | "unknown";

function isAbout({ tool, kind, match, then }: PermissionRule, use: ToolUse, folder: string): Found {
  const parts: Found[] = [];
  if (tool !== undefined) parts.push(known(use.tool, (name) => matchesPattern(tool, name)));
  if (kind !== undefined) parts.push(known(use.toolKind, (one) => one === kind));
  if (match !== undefined) parts.push(isTarget(match, then, use, folder));
  if (parts.includes("no")) return "no";
  return parts.includes("unknown") ? "unknown" : "yes";
}

const known = <Value>(value: Value | undefined, holds: (value: Value) => boolean): Found =>
  value === undefined ? "unknown" : holds(value) ? "yes" : "no";

/** By these a shell begins another command, redirects or expands: no wildcard of a rule that allows stands for them. */
// eslint-disable-next-line no-control-regex
const SHELL = /[;&|<>$`()\u0000-\u0008\u000a-\u001f]/;
const UPWARDS = /(?:^|[/\\])\.\.(?:[/\\]|$)/;

function isTarget(match: string, then: PermissionPolicy, { command, paths }: ToolUse, folder: string): Found {
  const allows = then === "allow";
  if (command !== undefined) return matchesPattern(match, command, allows ? SHELL : null) ? "yes" : "no";
  if (paths === undefined) return "unknown";
  const isPath = (path: string): boolean =>
    !(allows && UPWARDS.test(path) && !UPWARDS.test(match)) && matchesPattern(match, inside(path, folder));
  return (allows ? paths.every(isPath) : paths.some(isPath)) ? "yes" : "no";
}

/** A path in the folder that the agent works in, from there. */
const inside = (path: string, folder: string): string =>
  folder !== "" && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

const ruleText = (at: number, { tool, kind, match, then }: PermissionRule): string => {
  const about = Object.entries({ tool, kind, match })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${String(value)}`);
  return `rule ${String(at + 1)} (${about.join(", ")}): ${then}`;
};
