import { Fault } from "../../model/fault.ts";

/** What an agent gave to a tool. */
export type Given = Readonly<Record<string, unknown>>;

const TEXT_CHARS_MAX = 4_000;

export function textIn(given: Given, name: string): string {
  const text = given[name];
  if (typeof text !== "string" || text.trim() === "")
    throw new Fault("usage", `"${name}" is ${JSON.stringify(text) ?? "missing"}; expected some words`);
  return text.slice(0, TEXT_CHARS_MAX);
}

/** Those of the names that were given; at least one must be. What is too long is for the run to refuse. */
export function wordsIn<Name extends string>(
  given: Given,
  names: readonly Name[],
): { readonly [N in Name]?: string } {
  const said = names.flatMap((name) => {
    const text = given[name];
    if (text === undefined || text === null || text === "") return [];
    if (typeof text !== "string")
      throw new Fault("usage", `"${name}" is ${JSON.stringify(text)}; expected words`);
    return [[name, text] as const];
  });
  if (said.length === 0)
    throw new Fault("usage", `nothing is said; expected words in one of ${names.join(", ")}`);
  return Object.fromEntries(said) as { readonly [N in Name]?: string };
}

export function percentIn({ percent }: Given): number | undefined {
  if (percent === undefined || percent === null) return undefined;
  if (typeof percent !== "number" || !(percent >= 0 && percent <= 100))
    throw new Fault("usage", `"percent" is ${JSON.stringify(percent)}; expected a number from 0 to 100`);
  return percent;
}
