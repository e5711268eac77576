import { NOTHING_SHOWN } from "../../decide/gate/decide-reality.ts";
import { proofMissing } from "../../decide/requests/who-may.ts";
import type { GateState } from "../../model/flow/gate.ts";
import type { ApproverKey, Proof } from "../../model/requests/principal.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isoTime } from "../../model/text/iso-time.ts";

export interface GateView {
  /** As events name it. */
  readonly id: string;
  readonly gate: string;
  readonly of: string;
  readonly state: "waits" | "asked" | "approved" | "passed";
  readonly digest: string | null;
  readonly approvedBy: string | null;
  /** How that was proved; null where no person was asked for it. */
  readonly proof: Proof | null;
  /** When nobody has answered by then, the gate's expiry follows. */
  readonly expiresAt: string | null;
}

/** The gates of a run, but for those that only keep phases apart. */
export const gateViews = ({ gates }: RunState): GateView[] =>
  Object.entries(gates)
    .filter(([, { spec }]) => spec !== null)
    .map(([id, gate]) => ({
      id,
      gate: gate.name,
      of: gate.of,
      state: stateOf(gate),
      digest: gate.approval?.digest ?? gate.asked?.digest ?? null,
      approvedBy: gate.approval?.by ?? null,
      proof: gate.approval?.proof ?? null,
      expiresAt: expiryOf(gate),
    }));

function stateOf({ passed, approval, asked }: GateState): GateView["state"] {
  if (passed) return "passed";
  if (approval !== null) return "approved";
  return asked === null ? "waits" : "asked";
}

function expiryOf({ asked, approval, spec, expiries }: GateState): string | null {
  if (asked === null || approval !== null || spec?.expiry === undefined) return null;
  return isoTime(asked.at + spec.expiry.afterMs * (expiries + 1));
}

export interface RealityView {
  readonly verdict: string;
  readonly why: string;
  /** Of the files that it is about; absent where they were not looked at. */
  readonly digest?: string;
}

/** Without evidence nothing was assessed, and what is said of it is the default word. */
export function realityView({ reality, status, kind, settings }: RunState): RealityView | null {
  if (reality.verdict !== null) {
    const { verdict, why, digest } = reality;
    return { verdict, why, ...(digest === null ? {} : { digest }) };
  }
  if (status !== "completed" || kind === "program" || settings.reality.when === "never") return null;
  return { verdict: "NEEDS WORK", why: NOTHING_SHOWN };
}

/** Completed on the agents' word alone. */
export const isUnverified = ({
  status,
  reality,
}: {
  readonly status: string;
  readonly reality: RealityView | null;
}): boolean => status === "completed" && reality?.why === NOTHING_SHOWN;

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

/** What a person has to show at the gate; null where nothing is asked for. */
export function proofAsked(state: RunState): string | null {
  const keys = neededProof(state, "");
  if (keys === null) return null;
  const who = keys.map(({ name, proof, key }) => `${proof} of ${name} (key ${key.slice(0, 12)})`);
  return who.length === 0 ? "nobody's proof is known to this run" : who.join(", or ");
}
