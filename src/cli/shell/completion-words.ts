import { Fault } from "../../model/fault.ts";
import { EXIT } from "./define-command.ts";
import type { Invocation } from "./invocation.ts";

const RUNS_MAX = 50;

/** What a shell offers for a word that only this machine knows: `runs`, `agents`, or `checkpoints:RUN`. */
export async function completionWords(call: Invocation, kind: string): Promise<number> {
  const words = await wordsOf(call, kind);
  call.output.document({ words });
  for (const word of words) call.output.verbatim(word);
  return EXIT.done;
}

async function wordsOf(call: Invocation, kind: string): Promise<string[]> {
  const [, run] = /^checkpoints:(.+)$/s.exec(kind) ?? [];
  if (kind === "agents") return agentNames(call);
  if (kind !== "runs" && run === undefined)
    throw new Fault("usage", `--words is "${kind}"; expected runs, agents or checkpoints:RUN`);
  return call.withSystem("empty", async (system) => {
    const { journal } = system.ports;
    const onDamaged = (): void => undefined;
    if (run === undefined) return (await journal.runs({ limit: RUNS_MAX, onDamaged })).map((one) => one.run);
    const { stateOf } = await import("../run/state-of.ts");
    return Object.keys((await stateOf(system, run)).checkpoints);
  });
}

async function agentNames(call: Invocation): Promise<string[]> {
  const { agentsFor } = await import("../run/run-order.ts");
  return Object.keys(agentsFor(await call.config()));
}
