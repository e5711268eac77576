import { z } from "zod";

/** Problems reported of one document; the first ones are what is to be mended. */
const PROBLEMS_MAX = 10;

/** Null where it is a JSON Schema that documents can be held against; otherwise why it is none. */
export function schemaProblem(schema: unknown): string | null {
  try {
    checkerOf(schema);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "it is no JSON Schema";
  }
}

/** What is wrong with a document, by the schema; none where it fits. */
export function problemsBySchema(schema: unknown, document: unknown): string[] {
  const checked = checkerOf(schema).safeParse(document);
  if (checked.success) return [];
  return checked.error.issues.slice(0, PROBLEMS_MAX).map(({ path, message }) => {
    const where = path.map(String).join(".");
    return where === "" ? message : `${where}: ${message}`;
  });
}

function checkerOf(schema: unknown): z.ZodType {
  if (typeof schema === "boolean") return schema ? z.unknown() : z.never();
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    throw new Error("a JSON Schema is an object");
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
}
