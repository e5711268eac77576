import { Fault } from "../../model/fault.ts";
import type { ApproverKey } from "../../model/requests/principal.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import { neededProof } from "../../views/status/status-gates.ts";
import { askRun, type Prove } from "./ask-run.ts";
import { findRun } from "../run/find-run.ts";
import type { Invocation } from "../shell/invocation.ts";
import { secretReader } from "./read-secret.ts";
import { principalOf } from "./who-asks.ts";

/**
 * Answers what a run waits for at this moment. The question, its gate and its digest go along: everything it asks by
 * the time it receives the answer, nothing else is answered.
 */
export async function askApproval(
  call: Invocation,
  text: string | undefined,
  answer: Extract<RunRequest, { kind: "approve" | "reject" }>,
  isPiped: boolean,
): Promise<number> {
  const { run, gate, digest, escalation, who, needed, keys } = await waitsFor(call, text);
  const isThis = answer.gate === undefined || answer.gate === gate;
  const shown =
    answer.kind === "approve" && digest !== undefined && isThis ? { digest, ...answer } : { ...answer };
  const asked = gate === undefined || !isThis ? shown : { ...shown, gate };
  // Who names a gate means that gate, no matter what is asked.
  const question = escalation === undefined || !isThis ? {} : { escalation };
  const request = { ...question, ...asked, who };
  const proving = answer.kind === "approve" && isThis ? (needed ?? (isPiped ? keys : null)) : null;
  const proof = call.serving?.proof;
  if (proof !== undefined) return askRun(call, run, request, () => proof);
  // Nobody can type a secret into the server's own terminal for somebody else.
  const isTyped = proving !== null && call.serving === null;
  return askRun(call, run, request, isTyped ? await prover(proving, isPiped) : undefined);
}

const waitsFor = (call: Invocation, text: string | undefined) =>
  call.withSystem("empty", async (system) => {
    const run = await findRun(system.ports.journal, text, ["awaiting_approval", "blocked"]);
    const state = await system.loadRun(run);
    const [escalation] = Object.keys(state?.escalations ?? {});
    const { by, principal } = await principalOf(call, system);
    // An agent is refused no matter what it knows: it is asked for nothing.
    const isAgent = principal.kind === "agent";
    const needed = state === null || isAgent ? null : neededProof(state, by);
    return { ...state?.blocked, run, escalation, who: by, needed, keys: state?.approverKeys ?? null };
  });

/** Undefined where nobody can type a secret and none is piped: then the run refuses, and that stands in its journal. */
async function prover(keys: readonly ApproverKey[], isPiped: boolean): Promise<Prove | undefined> {
  const reader = secretReader(isPiped);
  if (reader === null) return undefined;
  try {
    const names = keys.map(({ name, proof }) => `${proof} of ${name}`).join(", or ");
    const secret = await reader.next(`Approval needs the ${names || "passphrase of an approver"}`);
    const { proofs } = await import("../../main.ts");
    const signer = proofs.signerOf(keys, secret);
    if (signer !== null) return (asked) => signer.sign(asked);
    const known = keys.map(({ name, key }) => `${name} (key ${key.slice(0, 12)})`).join(", ");
    throw new Fault(
      "refused",
      `this is not the passphrase or token of anybody whom the run knows: ${known || "nobody"}; a passphrase that was set after the run's start does not count for it`,
    );
  } finally {
    reader.close();
  }
}
