import { parseArgs } from "node:util";

export interface Asked {
  readonly quick: boolean;
  /** Names of benchmarks; all if empty. */
  readonly only: readonly string[];
  /** Where the report goes; null for the screen. */
  readonly out: string | null;
}

/** Only a full run replaces the document: a shortened one would leave gaps in it. */
export function readAsked(args: readonly string[], names: readonly string[], document: string): Asked {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      out: { type: "string" },
    },
  });
  const { quick, only, out } = values;
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`"${unknown}" is no benchmark; there are ${names.join(", ")}`);
  const full = !quick && only.length === 0;
  return { quick, only, out: out ?? (full ? document : null) };
}
