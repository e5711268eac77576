import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import type { Gate } from "../../model/flow/gate.ts";
import type { ApproverKey } from "../../model/requests/principal.ts";
import { readApprovers } from "../ask/approvers-file.ts";
import type { Invocation } from "../shell/invocation.ts";
import { principalOf } from "../ask/who-asks.ts";

type RunOrder = Parameters<System["createRun"]>[0];

export interface GateKeys {
  /** What goes into the run's first event; empty for a run without gates that ask for somebody. */
  readonly keys: { readonly approverKeys?: ApproverKey[] };
  /** For the person who starts the run, once: it is written nowhere. */
  readonly token: string | null;
}

/**
 * Whose proofs the gates of a run take. A credentialed gate for which nobody has a passphrase gets a token that is shown
 * to the person who starts the run; an agent that starts one is shown none.
 */
export async function gateKeys(
  call: Invocation,
  system: System,
  { flow }: Pick<RunOrder, "flow">,
): Promise<GateKeys> {
  const gates = flow.phases.flatMap(({ gate }) => (gate === undefined ? [] : [gate]));
  if (!gates.some(({ credentialed, approvers }) => credentialed === true || approvers !== undefined))
    return { keys: {}, token: null };
  const known = readApprovers(call.surroundings);
  const without = gates.filter((gate) => gate.credentialed === true && !known.some(isFor(gate)));
  if (without.length === 0) return { keys: { approverKeys: known }, token: null };
  const { by, principal } = await principalOf(call, system);
  const isAgent = principal.kind === "agent";
  const strange = without.find((gate) => isAgent || !isFor(gate)({ name: by }));
  if (strange !== undefined) throw nobodyOpens(strange, isAgent ? principal.name : by, isAgent);
  const { proofs } = await import("../../main.ts");
  const token = proofs.newToken(call.serving?.once.secret("gate"));
  return { keys: { approverKeys: [...known, proofs.approverKey(by, "token", token)] }, token };
}

const isFor =
  ({ approvers }: Gate) =>
  ({ name }: { readonly name: string }): boolean =>
    approvers?.includes(name) ?? true;

const nobodyOpens = ({ name, approvers }: Gate, by: string, isAgent: boolean): Fault =>
  new Fault(
    "refused",
    `the gate "${name}" is credentialed, and nobody who may open it has a passphrase${isAgent ? ` (a token is given to people alone, and ${by} is an agent)` : `: it is for ${approvers?.join(", ") ?? "nobody"}, and not for ${by}`}; set one first: holdfast approver add ${approvers?.[0] ?? "NAME"}`,
    { details: { gate: name } },
  );

/** Said once: nothing can say it again. */
export function printToken(call: Invocation, run: string, token: string | null): void {
  if (token === null) return;
  call.output.note(`holdfast: token of ${run}: ${token}`);
  call.output.note(
    `holdfast: keep it: it opens the run's credentialed gates, and is stored nowhere (use it with: ${call.command("approve", run, "--proof-stdin")})`,
  );
}
