import { configJsonSchema } from "../../src/model/settings/config.ts";

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly const?: unknown;
  readonly $ref?: string;
  readonly allOf?: unknown;
}

/**
 * Rules that are distinguished by `is` are a small language of their own, with tests of its own
 * (`test/agents/command`).
 */
const isLanguage = ({ oneOf = [] }: Schema): boolean =>
  oneOf.length > 0 && oneOf.every(({ properties }) => properties?.["is"]?.const !== undefined);

/** Whether there are keys below, or it is a value: a list of names is one. */
const hasKeys = ({ properties, oneOf, anyOf, items, additionalProperties }: Schema): boolean =>
  properties !== undefined ||
  [...(oneOf ?? []), ...(anyOf ?? [])].some(hasKeys) ||
  (items !== undefined && !isLanguage(items) && hasKeys(items)) ||
  (typeof additionalProperties === "object" && hasKeys(additionalProperties));

/** `health.tickMs`, `agents.*.use`, `policies.0.name`, `notify.channels.*(webhook).url`: every key a person may write. */
function keysBelow(schema: Schema, path: string): string[] {
  if (schema.$ref !== undefined || schema.allOf !== undefined)
    throw new Error(`the walk does not know how to go on at ${path}`);
  if (!hasKeys(schema)) return [path];
  const { properties = {}, items, additionalProperties } = schema;
  const variants = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return [
    ...variants.flatMap((variant) => keysOfVariant(variant, path, variants.filter(hasKeys).length === 1)),
    ...Object.entries(properties).flatMap(([name, child]) =>
      keysBelow(child, path === "" ? name : `${path}.${name}`),
    ),
    ...(items === undefined ? [] : keysBelow(items, `${path}.0`)),
    ...(typeof additionalProperties === "object" ? keysBelow(additionalProperties, `${path}.*`) : []),
  ];
}

/** What is only there in one variant is another key than its namesake; what tells them apart is the same in all. */
function keysOfVariant(variant: Schema, path: string, isOnlyOne: boolean): string[] {
  // A word or an object may stand there: the word is the key itself, and the object has keys below.
  if (!hasKeys(variant)) return [path];
  if (isOnlyOne) return keysBelow(variant, path);
  const name = variant.properties?.["use"]?.const;
  if (typeof name !== "string") throw new Error(`the variants at ${path} are not told apart by "use"`);
  return keysBelow(variant, `${path}(${name})`).map((key) =>
    key === `${path}(${name}).use` ? `${path}.use` : key,
  );
}

export const schemaKeys = (): string[] => [...new Set(keysBelow(configJsonSchema() as Schema, ""))];
