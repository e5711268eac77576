import { NOT_TRUSTED, type RunSource, type Started } from "../../model/flow/bindings.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Ports } from "../ports.ts";

/**
 * Compares what an effect would have executed or obeyed with what a person trusted, at the last moment before it is
 * performed: by now the files may be others. Null where all is trusted, or nothing of the repository takes part.
 */
export function distrusted(
  { trust }: Pick<Ports, "trust">,
  source: RunSource | null,
  effect: Effect,
): EffectOutcome | null {
  const started = startedBy(effect);
  if (source === null || started === null) return null;
  const text = trust?.(source, started) ?? null;
  return text === null ? null : { kind: "failed", terminal: true, text: `${NOT_TRUSTED}${text}` };
}

/** A reviewer works in a copy of the tree, and obeys the configuration that is part of the copy. */
function startedBy(effect: Effect): Started | null {
  if (effect.kind === "StartAgent" || effect.kind === "RunHook" || effect.kind === "RunInTree")
    return { kind: "in tree", cwd: effect.cwd };
  if (effect.kind === "AskReview") return { kind: "in tree", cwd: effect.tree };
  if (effect.kind === "AskTriage") return { kind: "apart" };
  if (effect.kind === "RunCheck" || effect.kind === "RunAtGate")
    return { kind: "command", cwd: effect.cwd, command: effect.command };
  return null;
}
