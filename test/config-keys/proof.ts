import { configSchema, type Config } from "../../src/model/settings/config.ts";

/** Shows that a key changes behaviour: what is observed with the one value, and what with the other. */
export interface Proof {
  readonly key: string;
  readonly values: readonly [unknown, unknown];
  /** Does something with the configuration by the code that the product itself does it by, and tells what came of it. */
  readonly observe: (config: Config) => unknown;
  readonly shows: readonly [unknown, unknown];
  /** What else must be configured for the key to matter. */
  readonly base: Tree | ((value: unknown) => Tree);
}

export type Tree = { readonly [name: string]: unknown };

export const prove = (
  key: string,
  values: Proof["values"],
  observe: Proof["observe"],
  shows: Proof["shows"],
  base: Proof["base"] = {},
): Proof => ({ key, values, observe, shows, base });

/** For all proofs: one agent that can be told things while it works, and nothing that looks at the machine. */
const USUAL: Tree = {
  agents: { dev: { use: "acp", command: ["dev"] } },
  budget: { uncounted: "allow" },
  commit: { author: "Ada <ada@example.org>" },
  protected: { usual: false },
  workspace: { isolation: "none" },
};

const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const merged = (one: Tree, other: Tree): Tree => ({
  ...one,
  ...Object.fromEntries(
    Object.entries(other).map(([name, value]) => {
      const before = one[name];
      return [name, isTree(before) && isTree(value) ? merged(before, value) : value];
    }),
  ),
});

/** A name of the user's own choosing is the first one that the base has chosen. */
function written(tree: unknown, path: readonly string[], value: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  if (Array.isArray(tree)) {
    const items: readonly unknown[] = tree;
    return items.map((item, at) => (at === Number(head) ? written(item, rest, value) : item));
  }
  const known = isTree(tree) ? tree : {};
  const name = head === "*" ? (Object.keys(known)[0] ?? "name") : head;
  const { [name]: before, ...others } = known;
  const inside = written(before, rest, value);
  return inside === undefined ? others : { [name]: inside, ...others };
}

/** The configuration in which the key has that value; undefined leaves it out. */
export function configured({ key, base }: Proof, value: unknown): Config {
  const path = key.replaceAll(/\([a-z]+\)/g, "").split(".");
  const around = typeof base === "function" ? base(value) : base;
  return configSchema.parse(written(merged(USUAL, around), path, value));
}
