import type { Effect } from "../../model/effects/effects.ts";
import { excerpt } from "./excerpt.ts";

/** What is about to be done outside the journal. */
export const describeIntent = ({ effect, key }: { readonly effect: Effect; readonly key: string }): string =>
  effect.kind === "AnswerPermission"
    ? `${effect.attempt}: permission ${effect.allow ? "given" : "denied"} (${effect.rule ?? "by a person"}): ${excerpt(effect.what)}`
    : `intends ${effect.kind} (${key})`;
