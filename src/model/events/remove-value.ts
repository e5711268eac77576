import { knownForms, SECRET_LENGTH_MIN } from "../text/redact.ts";

/** Stands where a value was that a person removed. */
export const SCRUBBED = "[redacted: scrubbed]";

/** One value in every form that programs commonly write it in. */
export interface ValueRemover {
  /** The longest first: a form may be the beginning of another. */
  readonly forms: readonly string[];
  /** Every text inside of a JSON text; the same text where none of them holds the value. */
  cleanJson(text: string): string;
  clean(text: string): string;
}

export function valueRemover(value: string): ValueRemover {
  const forms = [...knownForms([{ name: "scrubbed", value }]).keys()].sort(
    (one, other) => other.length - one.length,
  );
  const clean = (text: string): string => {
    if (text.length < SECRET_LENGTH_MIN) return text;
    let cleaned = text;
    for (const form of forms) if (cleaned.includes(form)) cleaned = cleaned.replaceAll(form, () => SCRUBBED);
    return cleaned;
  };
  return {
    forms,
    clean,
    cleanJson(text) {
      const found: unknown = JSON.parse(text);
      let changed = false;
      const cleaned = everyText(found, (one) => {
        const after = clean(one);
        changed ||= after !== one;
        return after;
      });
      return changed ? JSON.stringify(cleaned) : text;
    },
  };
}

/** Names of fields too: a value may be the key of a map. */
function everyText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => everyText(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [change(name), everyText(one, change)]),
  );
}
