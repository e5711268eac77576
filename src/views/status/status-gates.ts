import { NOTHING_SHOWN } from "../../decide/gate/decide-reality.ts";
import type { GateState } from "../../model/flow/gate.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { Proof } from "../../model/requests/principal.ts";
import type { RunState } from "../../model/state/run-state.ts";

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

/** Without evidence nothing was judged, and what is said of it is the usual word. */
export function realityView({ reality, status, body, settings }: RunState): RealityView | null {
  if (reality.verdict !== null) {
    const { verdict, why, digest } = reality;
    return { verdict, why, ...(digest === null ? {} : { digest }) };
  }
  if (status !== "completed" || body !== null || settings.reality.when === "never") return null;
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
