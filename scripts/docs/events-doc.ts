// Writes docs/events.md from the registry of event types.
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { EVENTS, EVENT_TYPES } from "../../src/model/events/events.ts";

interface Field {
  readonly type?: string | string[];
  readonly enum?: unknown[];
  readonly const?: unknown;
  readonly anyOf?: Field[];
  readonly oneOf?: Field[];
  readonly items?: Field;
  readonly properties?: Record<string, Field>;
  readonly additionalProperties?: Field | boolean;
  readonly $ref?: string;
}

/** A schema in a few words: enough to read an event by. */
function words(field: Field, depth = 0): string {
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.enum !== undefined) return field.enum.map((value) => JSON.stringify(value)).join(" \\| ");
  const either = field.anyOf ?? field.oneOf;
  if (either !== undefined) return either.map((one) => kindOf(one) ?? words(one, depth)).join(" \\| ");
  if (field.type === "array") return `list of ${words(field.items ?? {}, depth)}`;
  if (field.properties !== undefined)
    return depth > 0 ? "object" : `{ ${Object.keys(field.properties).join(", ")} }`;
  if (typeof field.additionalProperties === "object")
    return `by name: ${words(field.additionalProperties, 1)}`;
  return typeof field.type === "string" ? field.type : "any";
}

/** Variants of a union are told apart by their `kind`. */
const kindOf = (field: Field): string | undefined => {
  const kind = field.properties?.["kind"]?.const;
  return typeof kind === "string" ? kind : undefined;
};

function section(type: (typeof EVENT_TYPES)[number]): string {
  const schema = z.toJSONSchema(EVENTS[type].data, { io: "output", unrepresentable: "any" }) as Field;
  const rows = Object.entries(schema.properties ?? {}).map(
    ([name, field]) => `| \`${name}\` | ${words(field)} |`,
  );
  const table =
    rows.length === 0 ? "It carries nothing more." : ["| field | holds |", "|---|---|", ...rows].join("\n");
  return `## ${type}\n\n${EVENTS[type].says}\n\n${table}\n`;
}

export const eventsDocument = (): string =>
  `# Events\n\nGenerated from \`src/model/events/events.ts\` by \`npm run docs\`. Every event also carries its run, sequence number, time and hash.\nAn event once written is never edited, only superseded by one with another name.\n\n${EVENT_TYPES.map(section).join("\n")}`;

if (realpathSync(process.argv[1] ?? "") === import.meta.filename)
  writeFileSync(join(import.meta.dirname, "..", "..", "docs", "events.md"), eventsDocument());
