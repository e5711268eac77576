/** The parts of a JSON Schema that tell which keys a place may have. */
interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  /** Where a shorthand is allowed too, the last is the whole. */
  readonly anyOf?: readonly SchemaNode[];
}

/** The keys that a schema knows at a path; empty where any name is allowed or none. */
export function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  let node: SchemaNode | undefined = asNode(schema);
  for (const part of path) node = node === undefined ? undefined : below(node, part);
  return Object.keys((node?.anyOf?.at(-1) ?? node)?.properties ?? {});
}

/** Every key the schema knows anywhere, with its path: somebody may have put a good key into the wrong section. */
export function allKeyPaths(schema: unknown, prefix = ""): string[] {
  const node = asNode(schema);
  return Object.entries(node?.properties ?? {}).flatMap(([key, child]) => [
    `${prefix}${key}`,
    ...allKeyPaths(child, `${prefix}${key}.`),
  ]);
}

function below(short: SchemaNode, part: PropertyKey): SchemaNode | undefined {
  const node = short.anyOf?.at(-1) ?? short;
  if (typeof part === "number") return node.items;
  const known = typeof part === "string" ? node.properties?.[part] : undefined;
  return known ?? asNode(node.additionalProperties);
}

const asNode = (value: unknown): SchemaNode | undefined =>
  typeof value === "object" && value !== null ? value : undefined;
