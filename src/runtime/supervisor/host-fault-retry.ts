import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import { hostFaultIn, type HostFault } from "../../model/host/host-fault.ts";
import type { World } from "../../model/world.ts";

/** What is not done again by itself: it may have been done, or has a way of its own to be tried again. */
const HAS_ITS_OWN_WAY: ReadonlySet<Effect["kind"]> = new Set([
  "TellAgent",
  "AnswerPermission",
  "RunAtGate",
  "RunHook",
  "Notify",
  "AskTriage",
  "AskReview",
  "ApplyProposal",
]);

const FIRST_WAIT_MS = 500;
const WAIT_MS_MAX = 15_000;

export interface HostFaultMet {
  readonly fault: HostFault;
  readonly text: string;
}

/**
 * Performs an effect, again and again while the host is what keeps it from being done; under its key that is harmless
 * (I2). `met` is called when that begins, and when it becomes another fault. What it was aborted for is answered.
 */
export async function untilHostServes(
  effect: Effect,
  perform: () => Promise<EffectOutcome>,
  { world, signal, met }: { world: World; signal: AbortSignal; met: (fault: HostFaultMet) => void },
): Promise<EffectOutcome> {
  let known: HostFault | null = null;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, WAIT_MS_MAX)) {
    const outcome = await perform();
    const text = HAS_ITS_OWN_WAY.has(effect.kind) ? null : complaintOf(outcome);
    const fault = text === null ? null : hostFaultIn(text);
    if (fault === null || text === null || signal.aborted) return outcome;
    if (fault !== known) met({ fault, text });
    known = fault;
    await waitUnlessAborted(world, waitMs, signal);
  }
}

/** Words of ours about what could not be done. A check that could not be run says so in its evidence. */
function complaintOf(outcome: EffectOutcome): string | null {
  if (outcome.kind === "failed") return outcome.text;
  if (outcome.kind !== "done" || outcome.evidence?.verdict !== "unknown") return null;
  const { excerpt } = outcome.evidence;
  const note = excerpt.lastIndexOf("[holdfast: ");
  return note === -1 ? null : excerpt.slice(note);
}

const waitUnlessAborted = (world: World, waitMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const cancel = world.timer(waitMs, resolve);
    signal.addEventListener(
      "abort",
      () => {
        cancel();
        resolve();
      },
      { once: true },
    );
  });
