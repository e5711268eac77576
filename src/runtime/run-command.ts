import type { Effect, EffectOutcome } from "../model/effects.ts";
import type { Evidence } from "../model/evidence.ts";
import { errorText } from "../model/fault.ts";
import { printableLine } from "../model/printable.ts";
import { withBoundTree } from "./bound-evidence.ts";
import { inCleanCopy } from "./clean-copy.ts";
import type { Rooms } from "./rooms.ts";

type Command = Pick<
  Extract<Effect, { kind: "RunCheck" }>,
  "command" | "cwd" | "limitMs" | "outputBytesMax" | "clean" | "bound" | "ends"
> & { readonly env: Readonly<Record<string, string>> };

interface Under {
  readonly run: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Runs a command as a check: where the work is, or in a copy of exactly what would be accepted. */
export async function runCommand(rooms: Rooms, effect: Command, under: Under): Promise<EffectOutcome> {
  try {
    return await withBoundTree(rooms, effect, under.run, () => runHere(rooms, effect, under));
  } catch (error) {
    return { kind: "done", evidence: notRun(effect.command, errorText(error)) };
  }
}

/** The tree, or a copy of it, could not be looked at. What could not be learnt is asked again, and then of a person (I6). */
const notRun = (command: string, why: string): Evidence => ({
  command,
  verdict: "unknown",
  exitCode: null,
  signal: null,
  timedOut: false,
  outputBytes: 0,
  digest: "",
  excerpt: `[holdfast: the files of the check could not be looked at: ${printableLine(why).slice(0, 500)}]`,
  durationMs: 0,
});

async function runHere(rooms: Rooms, effect: Command, under: Under): Promise<EffectOutcome> {
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
