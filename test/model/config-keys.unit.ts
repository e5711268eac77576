import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { configJsonSchema } from "../../src/model/config.ts";

interface Schema {
  readonly properties?: Record<string, Schema>;
  readonly oneOf?: Schema[];
  readonly anyOf?: Schema[];
  readonly additionalProperties?: Schema | boolean;
}

/** `attempts.perStep`, `agents.*.use` … : every key a person may write. */
function leaves(schema: Schema, path: string[] = []): string[][] {
  const variants = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap((variant) =>
    leaves(variant, path),
  );
  const inside =
    typeof schema.additionalProperties === "object"
      ? leaves(schema.additionalProperties, [...path, "*"])
      : [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
    leaves(child, [...path, name]),
  );
  // What is below a name of the user's own choosing is read through the key above it.
  const found = [...inside.filter((inner) => inner.at(-1) !== "*"), ...own, ...variants];
  return found.length > 0 ? found : [path];
}

const SOURCES = readdirSync(join(import.meta.dirname, "..", "..", "src"), {
  recursive: true,
  withFileTypes: true,
})
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => join(entry.parentPath, entry.name))
  // Where keys are declared is not where they are read.
  .filter((file) => !/model[\\/](settings|config|flow)\.ts$/.test(file))
  .map((file) => readFileSync(file, "utf8"));

test("P4 every key of the configuration is read somewhere", () => {
  const keys = leaves(configJsonSchema() as Schema);
  assert.ok(keys.length > 10, "the schema has fewer keys than expected");
  const unread = keys.filter((path) => {
    const name = path.at(-1) ?? "";
    const section = path.at(-2);
    const used = new RegExp(`\\b${name}\\b`);
    const from =
      section === undefined || section === "*"
        ? used
        : new RegExp(`\\b${section}\\b[^;]*\\b${name}\\b|\\b${name}\\b[^;]*\\b${section}\\b`);
    return !SOURCES.some((text) => from.test(text));
  });
  assert.deepEqual(
    unread.map((path) => path.join(".")),
    [],
  );
});
