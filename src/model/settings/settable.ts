import { z } from "zod";
import { agentBudgetSchema } from "../requests/budget.ts";
import { runSettingsSchema } from "./settings.ts";

/** What a value of a setting looks like. */
export type ValueForm =
  | { readonly form: "number"; readonly whole: boolean }
  | { readonly form: "time" }
  | { readonly form: "boolean" }
  | { readonly form: "text" }
  | { readonly form: "choice"; readonly of: readonly string[] };

interface JsonForm {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonForm>>;
}

/** Why some settings stay as they were when the run began, by key or by section. */
export const FIXED: Readonly<Record<string, string>> = {
  workspace: "where a run works is settled when it begins",
  policies: "rules are not loosened while a run lives; `unblock` lets a single case pass",
  hooks: "hooks are not changed while a run lives; `unblock` lets a single case pass",
  mirrors: "the files for people are chosen when the run begins",
  notify: "the channels are recorded with the run; set them for a new run",
  prices: "the table is recorded with the run; give another one to a new run",
  "checkpoints.when": "whether files are kept is settled when the run begins",
  "drift.when": "whether the base is watched is settled when the run begins",
  "protected.usual": "what is protected is not given up while agents work; `trust` accepts single changes",
  "protected.paths": "what is protected is not given up while agents work; `trust` accepts single changes",
  "commit.mainBranches": "it is a list; give it to a new run",
};

/** Short names that people use. */
export const ALIASES: Readonly<Record<string, string>> = {
  timeout: "time.runMs",
  priority: "cooldown.priority",
  "limits.run": "time.runMs",
  "limits.phase": "time.phaseMs",
  "limits.attempt": "attempts.limitMs",
};

export const whyFixed = (key: string): string | undefined =>
  [key, key.split(".")[0] ?? ""]
    .map((name) => (Object.hasOwn(FIXED, name) ? FIXED[name] : undefined))
    .find(Boolean);

const formOf = (key: string, { type, enum: choices }: JsonForm): ValueForm | null => {
  if (choices !== undefined) return { form: "choice", of: choices };
  if (type === "boolean") return { form: "boolean" };
  if (type === "string") return { form: "text" };
  if (type !== "number" && type !== "integer") return null;
  return key.endsWith("Ms") ? { form: "time" } : { form: "number", whole: type === "integer" };
};

const formsOf = (schema: JsonForm, prefix: string): [string, ValueForm][] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, inner]): [string, ValueForm][] => {
    const key = `${prefix}${name}`;
    const form = formOf(key, inner);
    return form === null ? formsOf(inner, `${key}.`) : [[key, form]];
  });

const schemaOf = (schema: z.ZodType): JsonForm => z.toJSONSchema(schema, { io: "input" }) as JsonForm;

/** Made when it is first asked for: forms of all settings take longer to make than a short run takes to begin. */
const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
};

const budgetForms = once((): [string, ValueForm][] =>
  formsOf(schemaOf(agentBudgetSchema), "").map(([key, form]) => [`budget.${key}`, form]),
);

/** Every setting of a run that may be changed while it lives, and what its value looks like. */
export const settable = once((): Readonly<Record<string, ValueForm>> =>
  Object.fromEntries([
    ...formsOf(schemaOf(runSettingsSchema), "").filter(([key]) => whyFixed(key) === undefined),
    ...budgetForms(),
  ]),
);

/** What of a single step or phase may be changed: the part after its name. */
export const stepParts = once((): Readonly<Record<string, ValueForm>> => ({
  limitMs: { form: "time" },
  attemptsMax: { form: "number", whole: true },
  ...Object.fromEntries(budgetForms()),
}));
export const PHASE_PARTS: Readonly<Record<string, ValueForm>> = { limitMs: { form: "time" } };

export interface PartKey {
  readonly of: "step" | "phase";
  readonly name: string;
  readonly part: string;
}

/** `step.NAME.PART` and `phase.NAME.PART`; names may hold dots, so the longest known end is the part. */
export function partOf(key: string): PartKey | null {
  const [, of, rest] = /^(step|phase)\.(.+)$/s.exec(key) ?? [];
  if (of === undefined || rest === undefined) return null;
  const parts = Object.keys(of === "step" ? stepParts() : PHASE_PARTS);
  const part = parts.find((end) => rest.endsWith(`.${end}`) && rest.length > end.length + 1);
  return part === undefined ? null : { of: of as PartKey["of"], name: rest.slice(0, -part.length - 1), part };
}
