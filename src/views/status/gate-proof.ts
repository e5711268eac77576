import { proofMissing } from "../../decide/requests/who-may.ts";
import type { ApproverKey, Proof } from "../../model/requests/principal.ts";
import { NOT_PROVEN } from "../../model/requests/proved.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** Whose proof opens the gate that a run waits at, for somebody of that name; null where a name is enough. */
export function neededProof(state: RunState, name: string): readonly ApproverKey[] | null {
  const { approverKeys = [], blocked } = state;
  const spec = Object.values(state.gates).find((gate) => gate.name === blocked?.gate && !gate.passed)?.spec;
  if (spec === undefined || spec === null) return null;
  const isCredentialed = spec.credentialed === true;
  const who = { kind: "person", name, proof: "none" } as const;
  const missing = proofMissing(state, { isCredentialed, name }, who);
  const meant = approverKeys.filter((key) => spec.approvers?.includes(key.name) ?? true);
  if (missing === "own") return meant.filter((key) => key.name === name);
  // A gate that is for others opens for one of them who uses this account.
  const isForOthers = spec.approvers?.includes(name) === false && meant.length > 0;
  return missing === "any" || isForOthers ? meant : null;
}

/** `proved by passphrase`, or that nobody has proved it; empty where no person was asked for it. */
export const proofText = (proof: Proof | null | undefined): string =>
  proof === null || proof === undefined
    ? ""
    : proof === "passphrase" || proof === "token"
      ? ` (proved by ${proof})`
      : ` (${NOT_PROVEN})`;

/** What a person has to show at the gate; null where nothing is asked for. */
export function proofAsked(state: RunState): string | null {
  const keys = neededProof(state, "");
  if (keys === null) return null;
  const who = keys.map(({ name, proof, key }) => `${proof} of ${name} (key ${key.slice(0, 12)})`);
  return who.length === 0 ? "nobody's proof is known to this run" : who.join(", or ");
}
