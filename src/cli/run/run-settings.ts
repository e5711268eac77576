import { durationMs } from "../../model/text/duration.ts";
import { Fault } from "../../model/fault.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import {
  ALIASES,
  PHASE_PARTS,
  settable,
  stepParts,
  partOf,
  whyFixed,
  type ValueForm,
} from "../../model/settings/settable.ts";
import { nearest } from "../shell/nearest.ts";

/** `budget.time` and `step.NAME.limit` are what people write for keys that end in Ms. */
const spoken = (key: string): string => key.replace(/Ms$/, "");
const SPOKEN: ReadonlyMap<string, string> = new Map(Object.keys(settable()).map((key) => [spoken(key), key]));

/** Every key of `set` that is not of a single step or phase. */
export const SETTING_KEYS: readonly string[] = [...Object.keys(ALIASES), ...SPOKEN.keys()];

const COMMON_KEYS = [
  "budget.usd",
  "budget.tokens",
  "budget.time",
  "budget.turns",
  "budget.onExceed",
  "limits.run",
  "limits.attempt",
  "attempts.perStep",
  "checks.tries",
  "priority",
  "step.NAME.budget.usd",
  "step.NAME.limit",
  "phase.NAME.limit",
];

/**
 * The requests that words such as `budget.usd=40` make. A budget alone is asked for by a name that workflow functions
 * know too.
 */
export function settingRequests(words: readonly string[], note?: string): RunRequest[] {
  const changes = words.map((word) => {
    const at = word.indexOf("=");
    const said = at === -1 ? word : word.slice(0, at);
    const { key, form } = knownKey(said);
    if (at === -1) throw new Fault("usage", `"${word}" has no value; expected ${said}=VALUE`);
    return { key, value: valueOf(said, word.slice(at + 1), form) };
  });
  if (changes.length === 0) return [];
  const ofProgram = changes.every(({ key }) => PROGRAM_BUDGET.has(key));
  if (!ofProgram || note !== undefined)
    return [{ kind: "set", changes, ...(note === undefined ? {} : { note }) }];
  const budget = Object.fromEntries(changes.map(({ key, value }) => [key.slice("budget.".length), value]));
  return [{ kind: "budget", budget }];
}

const PROGRAM_BUDGET: ReadonlySet<string> = new Set([
  "budget.usd",
  "budget.tokens",
  "budget.iterations",
  "budget.timeMs",
]);

function knownKey(said: string): { readonly key: string; readonly form: ValueForm } {
  const key = (Object.hasOwn(ALIASES, said) ? ALIASES[said] : undefined) ?? SPOKEN.get(said) ?? said;
  const form = Object.hasOwn(settable(), key) ? settable()[key] : undefined;
  if (form !== undefined) return { key, form };
  const part = partOf(said.endsWith("Ms") ? said : `${said}Ms`) ?? partOf(said);
  if (part !== null) {
    const forms = part.of === "step" ? stepParts() : PHASE_PARTS;
    const found = forms[part.part];
    if (found !== undefined) return { key: `${part.of}.${part.name}.${part.part}`, form: found };
  }
  const fixed = whyFixed(key);
  if (fixed !== undefined) throw new Fault("usage", `${said} cannot be changed: ${fixed}`);
  throw unknownKey(said);
}

function valueOf(key: string, text: string, form: ValueForm): unknown {
  const wrong = (what: string): Fault => new Fault("usage", `${key}=${text}: expected ${what}`);
  switch (form.form) {
    case "time": {
      const ms = durationMs(/^\d+$/.test(text) ? Number(text) : text);
      if (ms < 1) throw wrong("a time above 0, such as 2h");
      return ms;
    }
    case "number": {
      const value = Number(text);
      const isFit = text.trim() !== "" && Number.isFinite(value) && (!form.whole || Number.isInteger(value));
      // What may be 0 or less the run itself says; amounts of a budget never are.
      if (!isFit || (key.includes("budget.") && value <= 0))
        throw wrong(`a ${form.whole ? "whole number" : "number"} above 0`);
      return value;
    }
    case "boolean":
      if (text !== "true" && text !== "false") throw wrong("true or false");
      return text === "true";
    case "choice":
      if (!form.of.includes(text)) throw wrong(`one of ${form.of.join(", ")}`);
      return text;
    case "text":
      if (text === "") throw wrong("a text");
      return text;
  }
}

function unknownKey(key: string): Fault {
  const [near] = nearest(key, SETTING_KEYS, 1);
  const hint = near === undefined ? "" : ` did you mean ${near}?`;
  return new Fault(
    "usage",
    `"${key}" cannot be set;${hint} what can be set: ${COMMON_KEYS.join(", ")}, and other settings of a run by their key in the configuration`,
    { details: { key, known: SETTING_KEYS } },
  );
}
