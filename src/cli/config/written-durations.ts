import { durationMs } from "../../model/text/duration.ts";

/** Settings that are times, by their names. */
export const IS_TIME_KEY = /(?:^ms|Ms)$/;
const IS_DURATION = /^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/;

/** No setting lies deeper; what does is refused later, no matter what it says. */
const DEPTH_MAX = 50;

/**
 * A document with its times in milliseconds: `limitMs: 4h` means what `limitMs: 14400000` means. Values of the
 * environment are texts regardless of their names.
 */
export function inMilliseconds(value: unknown, depth = 0): unknown {
  if (depth > DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((part) => inMilliseconds(part, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]: [string, unknown]) => {
      if (key === "env") return [key, part];
      const isTime = IS_TIME_KEY.test(key) && typeof part === "string" && IS_DURATION.test(part.trim());
      return [key, isTime ? durationMs(part.trim()) : inMilliseconds(part, depth + 1)];
    }),
  );
}

/** A JSON Schema that lets editors accept times written so, and the `$schema` that points them to it. */
export function withDurations(schema: unknown): unknown {
  const node = schema as { properties?: Record<string, unknown> };
  const properties = { $schema: { type: "string" }, ...node.properties };
  return { ...(walk(node) as object), properties: walk(properties) };
}

function walk(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(walk);
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, part]: [string, unknown]) => [
      key,
      IS_TIME_KEY.test(key) && (part as { type?: unknown } | null)?.type === "integer"
        ? timeNode(part as object)
        : walk(part),
    ]),
  );
}

function timeNode(node: object): unknown {
  const { description, default: value, ...number } = node as { description?: string; default?: unknown };
  return {
    ...(description === undefined ? {} : { description }),
    ...(value === undefined ? {} : { default: value }),
    anyOf: [number, { type: "string", pattern: IS_DURATION.source, description: "such as 90s, 10m, 4h" }],
  };
}
