import type { EventData } from "../model/events.ts";
import type { GATE_EVENTS } from "../model/gate-events.ts";
import { proofText } from "./gate-proof.ts";

type TellGates = { readonly [Type in keyof typeof GATE_EVENTS]: (data: EventData<Type>) => string };

const short = (digest: string): string => digest.slice(0, 12);
const nameOf = (gate: string): string => gate.replace(/^phase:/, "of phase ");

const EXPIRED: Readonly<Record<EventData<"GateExpired">["then"], string>> = {
  remind: "people are reminded",
  escalate: "it goes to an operator",
  cancel: "the run is cancelled",
  go_on: "it goes on",
};

/** What happens at gates, in plain words. */
export const TELL_GATES: TellGates = {
  GateChecked: ({ gate, rework, feedback }) =>
    `gate ${nameOf(gate)}: its checks did not pass${rework.length === 0 ? "" : `; worked again: ${rework.join(", ")}`}: ${feedback.replaceAll(/\s+/g, " ").slice(0, 160)}`,
  GateAsked: ({ gate, digest, again }) =>
    `gate ${nameOf(gate)}: approval of ${short(digest)} is asked${again === true ? " again: what was approved has changed" : ""}`,
  GateApproved: ({ gate, digest, by, proof, note }) =>
    `gate ${nameOf(gate)}: ${short(digest)} is approved by ${by}${proofText(proof)}${note === undefined ? "" : `: ${note}`}`,
  GateRejected: ({ gate, by, note, rework }) =>
    `gate ${nameOf(gate)}: sent back by ${by} to ${rework.join(", ") || "nobody"}: ${note}`,
  GateExpired: ({ gate, then }) => `gate ${nameOf(gate)}: nobody answered in time; ${EXPIRED[then]}`,
  RealityChecked: ({ verdict, why, reopened }) =>
    `reality check: ${verdict}: ${why.replaceAll(/\s+/g, " ").slice(0, 300)}${reopened.length === 0 ? "" : `; worked again: ${reopened.join(", ")}`}`,
  GatePassed: ({ gate, by }) => `gate ${nameOf(gate)}: passed${by === "holdfast" ? "" : `, by ${by}`}`,
};
