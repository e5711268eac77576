import type { Effect, EffectOutcome } from "../model/effects.ts";
import { inCleanCopy } from "./clean-copy.ts";
import type { Rooms } from "./rooms.ts";

type Command = Pick<
  Extract<Effect, { kind: "RunCheck" }>,
  "command" | "cwd" | "limitMs" | "outputBytesMax" | "clean"
> & { readonly env: Readonly<Record<string, string>> };

interface Under {
  readonly run: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Runs a command as a check: where the work is, or in a copy of exactly what would be accepted. */
export async function runCommand(rooms: Rooms, effect: Command, under: Under): Promise<EffectOutcome> {
  const { command, cwd, limitMs, outputBytesMax, env, clean } = effect;
  const order = { key: `${under.run}/${under.key}`, command, limitMs, outputBytesMax, env };
  if (clean === undefined)
    return { kind: "done", evidence: await rooms.quality.check({ ...order, cwd }, under.signal) };
  const inside = cwd.startsWith(clean.tree) ? cwd.slice(clean.tree.length) : "";
  return inCleanCopy(rooms, clean, under, async (folder) => ({
    kind: "done",
    evidence: await rooms.quality.check({ ...order, cwd: `${folder}${inside}` }, under.signal),
  }));
}
