import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Claimed } from "../load-run.ts";
import type { Ports } from "../ports.ts";

/** What begins a program of somebody's, or is seen outside of this machine: no later append can take it back. */
const LEAVES: ReadonlySet<Effect["kind"]> = new Set([
  "StartAgent",
  "TellAgent",
  "AnswerPermission",
  "RunAtGate",
  "RunHook",
  "AskReview",
  "AskTriage",
  "Notify",
  "UploadFiles",
]);

type Asked = Pick<Ports, "home" | "journal">;

/**
 * Where hosts share the store, an effect that leaves the machine is performed only under an epoch that the store still
 * has: a process that was cut off or stood still between its append and this moment may own the run no more. Answers the
 * outcome that stands in its place; null where it may be performed.
 */
export async function unlessOurs(
  { home, journal }: Asked,
  { kind }: Pick<Effect, "kind">,
  {
    state: { run },
    epoch,
    owner,
  }: Pick<Claimed, "epoch" | "owner"> & { readonly state: { readonly run: string } },
): Promise<EffectOutcome | null> {
  if (home === undefined || !LEAVES.has(kind)) return null;
  const lease = await journal.lease(run);
  if (lease?.epoch === epoch && lease.owner?.id === owner) return null;
  const text = `another process owns ${run} by now (epoch ${String(lease?.epoch ?? 0)}, expected ${String(epoch)}): nothing was done`;
  return { kind: "failed", terminal: false, text };
}
