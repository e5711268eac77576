import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { crc32 as realCrc32 } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { toJSONSchema, type z } from "zod";
import { crc32 } from "../../../src/cli/quick/crc32.ts";
import { EVENTS, type EventType } from "../../../src/model/events/events.ts";
import { hostConfigSchema } from "../../../src/model/settings/host-config.ts";

/** The schemas of the whole program, and the same source with those that only accept. */
interface Schemas {
  readonly EVENTS: Readonly<Record<string, { readonly data: Pick<z.ZodType, "parse"> }>>;
  readonly hostConfigSchema: Pick<z.ZodType, "parse">;
  readonly requestSchema: Pick<z.ZodType, "parse">;
}

const { href } = new URL("../../../scripts/quick-parts.mjs", import.meta.url);
const { withoutTheRest } = (await import(href)) as { readonly withoutTheRest: Plugin };

const REPOSITORY = path.resolve(import.meta.dirname, "../../..");
let folder = "";
let quick: Schemas;

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-quick-"));
  const source = (file: string): string => JSON.stringify(path.join(REPOSITORY, "src/model", file));
  const outfile = path.join(folder, "schemas.mjs");
  await build({
    stdin: {
      contents: `export { EVENTS } from ${source("events/events.ts")};
        export { hostConfigSchema } from ${source("settings/host-config.ts")};
        export { requestSchema } from ${source("requests/requests.ts")};`,
      resolveDir: REPOSITORY,
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    plugins: [withoutTheRest],
  });
  quick = (await import(pathToFileURL(outfile).href)) as Schemas;
});
after(() => rmSync(folder, { recursive: true, force: true }));

type Found = { readonly json: string } | null;
function found(schema: Pick<z.ZodType, "parse">, value: unknown): Found {
  try {
    return { json: JSON.stringify(schema.parse(value)) };
  } catch {
    return null;
  }
}

interface Event {
  readonly type: EventType;
  readonly data: unknown;
}
const recorded: Event[] = ["demo", "reference"].flatMap((name) =>
  readFileSync(path.join(REPOSITORY, `test/golden/0.1.0/${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Partial<Event>)
    .filter((one): one is Event => one.type !== undefined && Object.hasOwn(EVENTS, one.type))
    .map(({ type, data }) => ({
      type,
      data: typeof data === "string" ? (JSON.parse(data) as unknown) : data,
    })),
);

const OTHERS: readonly unknown[] = [undefined, null, "", "constructor", -1, 1.5, true, [], {}, { more: 1 }];

/** The same value with one part of it left out, added or replaced, for each part. */
function* variants(value: unknown): Generator<unknown> {
  yield* OTHERS;
  if (typeof value !== "object" || value === null) return;
  const keys = Object.keys(value) as (keyof typeof value)[];
  yield Array.isArray(value) ? [...(value as unknown[]), 1] : { ...value, unexpected: 1 };
  for (const key of keys) {
    const copy = (): Record<PropertyKey, unknown> => structuredClone(value) as Record<PropertyKey, unknown>;
    const without = copy();
    Reflect.deleteProperty(without, key);
    yield without;
    for (const inner of variants(value[key])) yield Object.assign(copy(), { [key]: inner });
  }
}

test("P4 the schemas of the short program find of every recorded event what the library finds", () => {
  const kinds = new Set(recorded.map(({ type }) => type)).size;
  assert.ok(kinds > 15, `${String(kinds)} kinds of events`);
  for (const { type, data } of recorded) {
    const whole = found(EVENTS[type].data, data);
    assert.ok(whole !== null, type);
    assert.deepEqual(found(quick.EVENTS[type]?.data ?? quick.requestSchema, data), whole, type);
  }
});

test("P4 what the library refuses the short program never accepts, and what both accept is the same", () => {
  const seen = new Set<string>();
  let accepted = 0;
  let refused = 0;
  for (const { type, data } of recorded) {
    if (seen.has(type)) continue;
    seen.add(type);
    for (const variant of variants(data)) {
      const here = found(quick.EVENTS[type]?.data ?? quick.requestSchema, variant);
      const whole = found(EVENTS[type].data, variant);
      const text = `${type} ${JSON.stringify(variant)}`;
      // What only the library accepts is answered by the whole program.
      if (here !== null) assert.deepEqual(here, whole, text);
      if (here === null) refused += 1;
      else accepted += 1;
    }
  }
  assert.ok(accepted > 200 && refused > 1_000, `${String(accepted)} accepted, ${String(refused)} refused`);
});

interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly propertyNames?: JsonSchema;
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly pattern?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/** Values of a form: all its fields at first, then each optional one now and then. */
class Maker {
  #turn: number;
  readonly #defs: Readonly<Record<string, JsonSchema>>;

  constructor(turn: number, defs: Readonly<Record<string, JsonSchema>> = {}) {
    this.#turn = turn;
    this.#defs = defs;
  }

  #next(of: number): number {
    this.#turn = (this.#turn * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(this.#turn / 65_536) % of;
  }

  make(schema: JsonSchema, depth = 0): unknown {
    const { $ref, anyOf = schema.oneOf } = schema;
    if ($ref !== undefined) return this.make(this.#defs[$ref.split("/").at(-1) ?? ""] ?? {}, depth + 1);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return schema.enum[this.#next(schema.enum.length)];
    if (anyOf !== undefined) return this.make(anyOf[this.#next(anyOf.length)] ?? {}, depth);
    switch (schema.type) {
      case "string":
        return ["a1", "ab".repeat(32), "notes/x.md", "2026-11-19T10:00:00Z", "work#1"][this.#next(5)];
      case "integer":
        return (schema.minimum ?? 0) + this.#next(3);
      case "number":
        return (schema.minimum ?? 0) + this.#next(8) / 4;
      case "boolean":
        return this.#next(2) === 1;
      case "null":
        return null;
      case "array":
        return Array.from({ length: depth > 6 ? 0 : this.#next(3) }, () =>
          this.make(schema.items ?? {}, depth + 1),
        );
      case "object":
        return this.#object(schema, depth);
      case undefined:
      default:
        return [null, 7, "text", { deep: [1] }][this.#next(4)];
    }
  }

  #object(
    { properties = {}, required = [], additionalProperties, propertyNames }: JsonSchema,
    depth: number,
  ) {
    const fields = Object.entries(properties).filter(
      ([name]) => required.includes(name) || (depth < 6 && this.#next(3) > 0),
    );
    const made = fields.map(([name, field]) => [name, this.make(field, depth + 1)]);
    const others =
      typeof additionalProperties === "object" && fields.length === 0
        ? (propertyNames?.enum ?? ["one", "two"]).map((name) => [
            String(name),
            this.make(additionalProperties, depth + 1),
          ])
        : [];
    return Object.fromEntries([...made, ...others]) as Record<string, unknown>;
  }
}

const MADE_OF_EACH = 40;

test("P4 both find the same of made events of every kind", () => {
  const met = new Set<string>();
  const types = Object.keys(EVENTS) as EventType[];
  for (const type of types) {
    const form = toJSONSchema(EVENTS[type].data, { io: "input", unrepresentable: "any" }) as JsonSchema;
    for (let turn = 1; turn <= MADE_OF_EACH; turn += 1) {
      const value = new Maker(turn * 7_919, form.$defs).make(form);
      const here = found(quick.EVENTS[type]?.data ?? quick.requestSchema, value);
      const whole = found(EVENTS[type].data, value);
      if (here !== null && whole !== null) met.add(type);
      if (here !== null) assert.deepEqual(here, whole, `${type} ${JSON.stringify(value)}`);
      else assert.ok(whole === null, `only the library accepts a ${type}: ${JSON.stringify(value)}`);
    }
  }
  const missed = types.filter((type) => !met.has(type));
  assert.ok(missed.length < types.length / 5, `none was accepted of ${missed.join(", ")}`);
});

test("P4 the settings of a host without a file are the same in the short program", () => {
  assert.deepEqual(found(quick.hostConfigSchema, {}), found(hostConfigSchema, {}));
  for (const variant of variants({ lease: { ms: 2_000 }, supervisor: { scanMs: 5 }, notify: {} })) {
    const here = found(quick.hostConfigSchema, variant);
    if (here !== null) assert.deepEqual(here, found(hostConfigSchema, variant), JSON.stringify(variant));
  }
});

test("P4 the sums of the short program are those of zlib", () => {
  for (const text of ["", "a", "holdfast", "Ünïcode ✓", "x".repeat(5_000)]) {
    assert.equal(crc32(text), realCrc32(text));
    assert.equal(crc32(Buffer.from(text), 77), realCrc32(Buffer.from(text), 77));
  }
});
