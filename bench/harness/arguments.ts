import { parseArgs } from "node:util";
import type { Bench } from "./bench.ts";

export interface Asked {
  readonly quick: boolean;
  /** Names of the benchmarks to run. */
  readonly names: readonly string[];
  /** Where the report goes; null for the screen. */
  readonly out: string | null;
  /** Sections of the document are replaced, and the rest of it is kept. */
  readonly sectionsOnly: boolean;
}

type Known = Pick<Bench, "name" | "onlyWhenAsked">;

/** A shortened run does not touch the document: it would leave gaps in it. What runs only when asked has its own section, and `--section` replaces the sections of what was named. */
export function readAsked(args: readonly string[], benches: readonly Known[], document: string): Asked {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      section: { type: "boolean", default: false },
      out: { type: "string" },
    },
  });
  const { quick, only, section, out } = values;
  const unknown = only.find((name) => !benches.some((bench) => bench.name === name));
  if (unknown !== undefined)
    throw new Error(`"${unknown}" is no benchmark; there are ${benches.map(({ name }) => name).join(", ")}`);
  const chosen = benches.filter(({ name, onlyWhenAsked }) =>
    only.length === 0 ? onlyWhenAsked !== true : only.includes(name),
  );
  const sectionsOnly =
    (section && only.length > 0) || chosen.every(({ onlyWhenAsked }) => onlyWhenAsked === true);
  const whole = !quick && (only.length === 0 || sectionsOnly);
  return {
    quick,
    names: chosen.map(({ name }) => name),
    out: out ?? (whole ? document : null),
    sectionsOnly: sectionsOnly && out === undefined,
  };
}
