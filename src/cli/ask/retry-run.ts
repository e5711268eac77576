import type { RunSource } from "../../model/flow/bindings.ts";
import { Fault } from "../../model/fault.ts";
import { obeyedAgent } from "../../model/flow/obeyed.ts";
import { askRun, MEANT } from "./ask-run.ts";
import { findRun } from "../run/find-run.ts";
import type { Invocation } from "../shell/invocation.ts";
import { bindingsNow } from "../run/read-bindings.ts";
import { requireTrust } from "../trust/require-trust.ts";

/**
 * Another try is made with the agents as the files bind them now. A binding that a person has changed since needs their
 * trust first, as it would for a new run: without it nothing is asked of the run, which would only fail again.
 */
export async function retryRun(
  call: Invocation,
  text: string | undefined,
  { step }: { readonly step?: string },
): Promise<number> {
  const { run, source } = await call.withSystem("empty", async (system) => {
    const run = await findRun(system.ports.journal, text, MEANT.retry);
    return { run, source: (await system.loadRun(run).catch(unreadable))?.binding.source ?? null };
  });
  if (source !== null) await trustBindings(call, source);
  return askRun(call, run, { kind: "retry", ...(step === undefined ? {} : { step }) });
}

/** A damaged run is refused by what asks it, with the command that helps. */
const unreadable = (error: unknown): null => {
  if (error instanceof Fault) return null;
  throw error;
};

async function trustBindings(call: Invocation, source: RunSource): Promise<void> {
  const { trust } = source;
  if (trust === undefined) return;
  const now = await bindingsNow(source).catch(unreadable);
  if (now === null) return;
  const obeyed = Object.entries(now.agents).flatMap(([name, spec]) => obeyedAgent(name, spec) ?? []);
  await requireTrust(call, { tree: { root: trust.root, cwd: trust.cwd }, obeyed }, {});
}
