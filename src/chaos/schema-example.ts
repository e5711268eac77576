import { isRecord, recordOf, recordsOf, textOf, type JsonRecord } from "./json-value.ts";

const DEPTH_MAX = 8;

/** The simplest value that fits a JSON Schema: required keys only, the first of any choice. */
export function exampleOf(schema: JsonRecord, depth = 0): unknown {
  if (depth > DEPTH_MAX) return null;
  if (schema["const"] !== undefined) return schema["const"];
  if (Array.isArray(schema["enum"])) return schema["enum"][0] as unknown;
  const [choice] = recordsOf(schema["anyOf"] ?? schema["oneOf"]);
  if (choice !== undefined) return exampleOf(choice, depth + 1);
  switch (typeOf(schema)) {
    case "string":
      return "none";
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return false;
    case "array":
      return typeof schema["minItems"] === "number" && schema["minItems"] > 0
        ? [exampleOf(recordOf(schema["items"]), depth + 1)]
        : [];
    case "object":
      return requiredOf(schema, depth);
    default:
      return null;
  }
}

/** Some vendors shout the names of types, and some list several. */
export function typeOf(schema: JsonRecord): string {
  const { type } = schema;
  const first = Array.isArray(type) ? (type[0] as unknown) : type;
  if (typeof first === "string") return first.toLowerCase();
  return isRecord(schema["properties"]) ? "object" : "";
}

function requiredOf(schema: JsonRecord, depth: number): JsonRecord {
  const properties = recordOf(schema["properties"]);
  const required = Array.isArray(schema["required"]) ? schema["required"].map(textOf) : [];
  return Object.fromEntries(required.map((key) => [key, exampleOf(recordOf(properties[key]), depth + 1)]));
}
