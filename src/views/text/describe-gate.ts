import { durationText } from "../../model/text/duration.ts";
import type { EventData } from "../../model/events/events.ts";
import type { GATE_EVENTS } from "../../model/events/gate-events.ts";
import { proofText } from "./proof-text.ts";

type DescribeGates = { readonly [Type in keyof typeof GATE_EVENTS]: (data: EventData<Type>) => string };

const short = (digest: string): string => digest.slice(0, 12);
const nameOf = (gate: string): string => gate.replace(/^phase:/, "of phase ");

const EXPIRED: Readonly<Record<EventData<"GateExpired">["then"], string>> = {
  remind: "people are reminded",
  escalate: "it goes to an operator",
  cancel: "the run is cancelled",
  go_on: "it goes on",
};

const policyText = (policy: EventData<"GateAsked">["policy"]): string =>
  policy === undefined
    ? ""
    : ` (${policy.dryRun ? "dry run: " : ""}${policy.findings.map(({ met, why }) => `${met ? "yes" : "no"}: ${why}`).join("; ")})`;

const TIMED_OUT: Readonly<Record<EventData<"PhaseTimedOut">["then"], string>> = {
  ask: "a person is asked",
  escalate: "it goes to an operator",
  go_on: "it continues all the same",
  cancel: "the run is cancelled",
};

/** What happens at gates, in plain words. */
export const DESCRIBE_GATES: DescribeGates = {
  GateChecked: ({ gate, rework, feedback }) =>
    `gate ${nameOf(gate)}: its checks did not pass${rework.length === 0 ? "" : `; worked again: ${rework.join(", ")}`}: ${feedback.replaceAll(/\s+/g, " ").slice(0, 160)}`,
  GateAsked: ({ gate, digest, again, policy }) =>
    `gate ${nameOf(gate)}: approval of ${short(digest)} is asked${again === true ? " again: what was approved has changed" : ""}${policyText(policy)}`,
  GateApproved: ({ gate, digest, by, proof, note, policy }) =>
    `gate ${nameOf(gate)}: ${short(digest)} is approved by ${by}${proofText(proof)}${note === undefined ? "" : `: ${note}`}${policyText(policy)}`,
  GateRejected: ({ gate, by, note, rework }) =>
    `gate ${nameOf(gate)}: sent back by ${by} to ${rework.join(", ") || "nobody"}: ${note}`,
  GateExpired: ({ gate, then }) => `gate ${nameOf(gate)}: nobody answered in time; ${EXPIRED[then]}`,
  PhaseTimedOut: ({ phase, then, limitMs }) =>
    `the phase ${phase} has used up its ${durationText(limitMs)}; ${TIMED_OUT[then]}`,
  RealityChecked: ({ verdict, why, reopened }) =>
    `reality check: ${verdict}: ${why.replaceAll(/\s+/g, " ").slice(0, 300)}${reopened.length === 0 ? "" : `; worked again: ${reopened.join(", ")}`}`,
  GatePassed: ({ gate, by }) => `gate ${nameOf(gate)}: passed${by === "holdfast" ? "" : `, by ${by}`}`,
};
