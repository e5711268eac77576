import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Evidence } from "../../model/effects/evidence.ts";
import { errorText } from "../../model/fault.ts";
import { printableLine } from "../../model/text/printable.ts";
import { withBoundTree } from "./bound-evidence.ts";
import { inCleanCopy } from "./clean-copy.ts";
import type { Ports } from "../ports.ts";

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
export async function runCommand(ports: Ports, effect: Command, under: Under): Promise<EffectOutcome> {
  try {
    return await withBoundTree(ports, effect, under.run, () => runHere(ports, effect, under));
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

async function runHere(ports: Ports, effect: Command, under: Under): Promise<EffectOutcome> {
  const { command, cwd, limitMs, outputBytesMax, env, clean } = effect;
  const order = { key: `${under.run}/${under.key}`, command, limitMs, outputBytesMax, env };
  if (clean === undefined)
    return { kind: "done", evidence: await ports.quality.check({ ...order, cwd }, under.signal) };
  const inside = cwd.startsWith(clean.tree) ? cwd.slice(clean.tree.length) : "";
  return inCleanCopy(ports, clean, under, async (folder) => ({
    kind: "done",
    evidence: await ports.quality.check({ ...order, cwd: `${folder}${inside}` }, under.signal),
  }));
}
