import { z } from "zod";

const atLeastOne = z.number().int().min(1);

export const ms = (fallback: number, what: string) => described(atLeastOne.default(fallback), what);
export const count = (fallback: number, max: number, what: string) =>
  described(atLeastOne.max(max).default(fallback), what);
export const section = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape).prefault({} as z.input<z.ZodObject<Shape>>);

/** As `.describe`, for a schema that nobody else has: it is not copied first. */
function described<Schema extends z.ZodType>(schema: Schema, description: string): Schema {
  z.globalRegistry.add(schema, { description });
  return schema;
}
