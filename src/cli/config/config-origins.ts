import type { Invocation } from "../shell/invocation.ts";
import { findHostConfig } from "./find-config.ts";
import { readDocument } from "./read-document.ts";

export interface Origin {
  readonly key: string;
  readonly value: unknown;
  /** The file that sets it; null for a default. */
  readonly file: string | null;
}

/** Every setting that holds in a folder, with the file that it comes from. */
export function originsOf(call: Invocation, config: object, repository: string | null): Origin[] {
  const host = findHostConfig(call.hostFolder);
  const files = [host, repository].filter((file) => file !== null && !/\.[cm]?[jt]s$/u.test(file));
  const written = files.map((file) => [file, leavesOf(valueOf(file ?? ""))] as const);
  return Object.entries(leavesOf(config)).map(([key, value]) => ({
    key,
    value,
    file: written.find(([, leaves]) => Object.keys(leaves).some((one) => isPart(one, key)))?.[0] ?? null,
  }));
}

const valueOf = (file: string): unknown => readDocument(file, "the configuration").value;

const isPart = (one: string, key: string): boolean =>
  one === key || one.startsWith(`${key}.`) || key.startsWith(`${one}.`);

/** Values by their path, such as `attempts.perStep`; lists are values. */
function leavesOf(value: unknown, prefix = ""): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { [prefix]: value };
  const parts = Object.entries(value).filter(([, part]) => part !== undefined);
  if (parts.length === 0) return prefix === "" ? {} : { [prefix]: {} };
  return Object.assign(
    {},
    ...parts.map(([key, part]) => leavesOf(part, prefix === "" ? key : `${prefix}.${key}`)),
  ) as Record<string, unknown>;
}
