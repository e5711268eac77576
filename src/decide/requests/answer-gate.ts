import type { RunEvent } from "../../model/events/events.ts";
import type { GateState } from "../../model/flow/gate.ts";
import type { OpenRequest } from "../../model/state/asked-state.ts";
import type { Principal } from "../../model/requests/principal.ts";
import { isProved } from "../../model/requests/proved.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { reworkOf } from "../gate/gates.ts";
import { askedGate, shortDigest, worked } from "../gate/decide-gates.ts";
import { answered, refusedFor, type Verdict } from "../dispatch/verdict.ts";
import { proofMissing } from "./who-may.ts";

type Asked<Kind extends RunRequest["kind"]> = Extract<RunRequest, { kind: Kind }>;

/** A digest may be given by its beginning, if that is long enough to mean one. */
const DIGEST_CHARS_MIN = 8;

const isDigest = (text: string, digest: string): boolean =>
  text === shortDigest(digest) || (text.length >= DIGEST_CHARS_MIN && digest.startsWith(text));

/**
 * Whether the yes was given before: then saying it again changes nothing, and the one that says it is informed. Null
 * where it was not.
 */
export function approvedBefore(state: RunState, { gate: name, digest }: Asked<"approve">): Verdict | null {
  const now = askedGate(state);
  const given = Object.entries(state.gates).filter(
    ([key, { approval }]) => approval !== null && key !== now?.key,
  );
  const meant = given
    .filter(([, gate]) => name === undefined || gate.name === name)
    .filter(([, { approval }]) => digest === undefined || isDigest(digest, approval?.digest ?? ""))
    .map(([, gate]) => gate)
    .toSorted((a, b) => (a.approval?.at ?? 0) - (b.approval?.at ?? 0))
    .at(-1);
  if (meant?.approval === undefined || meant.approval === null) return null;
  // Without a name, a question that is open is what is meant.
  if (now !== null && name === undefined && digest === undefined) return null;
  return answered(
    `approved already: the gate "${meant.name}" was approved by ${meant.approval.by} (${shortDigest(meant.approval.digest)})`,
  );
}

/** Null where the run waits at no gate. */
export function approveGate(state: RunState, request: Asked<"approve">, asker: Asker): Verdict | null {
  const at = askedGate(state);
  const isNamed = request.gate !== undefined || request.digest !== undefined;
  const before = at !== null || isNamed ? approvedBefore(state, request) : null;
  if (before !== null) return before;
  if (at === null && isNamed)
    return refusedFor(`approve is refused: the run waits at no gate${heldBy(request.gate)}`, [
      "awaiting_approval",
    ]);
  // Checks that fail are not approved away.
  if (at === null || state.blocked?.reason === "retries_exhausted") return null;
  const { key, gate } = at;
  const who = nameOf(request, asker);
  const refusal =
    otherGate(gate, request.gate) ??
    notFor(gate, who) ??
    notAsked(gate) ??
    otherDigest(gate, request.digest, state.run) ??
    notProved(state, gate, { request, who, principal: asker.principal });
  if (refusal !== null) return refusedFor(`approve is refused: ${refusal}`, ["awaiting_approval"]);
  const digest = gate.approval?.digest ?? gate.asked?.digest ?? "";
  const note = request.note === undefined ? {} : { note: request.note };
  const changes: RunEvent[] = [
    { type: "GateApproved", data: { gate: key, digest, by: who, proof: asker.principal.proof, ...note } },
    { type: "RunUnblocked", data: {} },
  ];
  return answered(`approved: the gate "${gate.name}" (${shortDigest(digest)}); the run goes on`, changes);
}

export type Asker = Pick<OpenRequest, "by" | "principal">;

/** Who is proved to ask is named by that, and by nothing that the request says. */
const nameOf = ({ who }: { readonly who?: string | undefined }, { by, principal }: Asker): string =>
  isProved(principal) ? principal.name : (who ?? by);

/** A proof is of what was shown: it names the question and the digest, and no later ones. */
function notProved(
  state: RunState,
  { name, spec }: GateState,
  asked: { readonly request: Asked<"approve">; readonly who: string; readonly principal: Principal },
): string | null {
  const { request, who, principal } = asked;
  const isCredentialed = spec?.credentialed === true;
  const missing = proofMissing(state, { isCredentialed, name: who }, principal);
  const isOpen = request.digest !== undefined && request.escalation !== undefined;
  if (missing === null)
    return isProved(principal) && !isOpen
      ? `the proof for the gate "${name}" does not say what was shown; approve it with the command of this version`
      : null;
  const why =
    missing === "any"
      ? `the gate "${name}" is credentialed: it opens with a passphrase or with the token that the run's start printed`
      : `${who} has a passphrase, so that the name alone does not open the gate "${name}"`;
  return `${why}, and this is not proven to be from ${who}; approve it in a terminal, which asks for it, or pipe it: holdfast approve ${state.run} ${name} --proof-stdin`;
}

const heldBy = (gate: string | undefined): string => (gate === undefined ? "" : `, not at "${gate}" either`);

const otherGate = ({ name }: GateState, named: string | undefined): string | null =>
  named === undefined || named === name ? null : `the run waits at the gate "${name}", not at "${named}"`;

function notFor({ name, spec }: GateState, who: string): string | null {
  if (spec?.credentialed === true && who.startsWith("agent:"))
    return `the gate "${name}" is opened by people alone, and ${who} is an agent`;
  if (spec?.approvers === undefined || spec.approvers.includes(who)) return null;
  return `the gate "${name}" is for ${spec.approvers.join(", ")}, and not for ${who}`;
}

/** A yes is to what was shown; where the work is done again, nothing is yet. */
const notAsked = ({ name, spec, asked, approval }: GateState): string | null =>
  spec?.kind === "approval" && asked === null && approval === null
    ? `what the gate "${name}" is about is being worked again; it asks when that is done`
    : null;

function otherDigest({ name, asked }: GateState, digest: string | undefined, run: string): string | null {
  if (digest === undefined || asked === null || isDigest(digest, asked.digest)) return null;
  const now = shortDigest(asked.digest);
  return `what the gate "${name}" is about has changed: ${shortDigest(digest)} was shown, and it is ${now} now; look again, then: holdfast approve ${run} ${name} --digest ${now}`;
}

/** Null where the run waits at no gate. The work goes back to where the gate says, and all that was built on it. */
export function rejectGate(state: RunState, request: Asked<"reject">, asker: Asker): Verdict | null {
  const at = askedGate(state);
  if (at === null) return null;
  const { key, gate } = at;
  const who = nameOf(request, asker);
  const refusal = otherGate(gate, request.gate) ?? notFor(gate, who);
  if (refusal !== null) return refusedFor(`reject is refused: ${refusal}`, ["awaiting_approval"]);
  const rework = reworkOf(state, gate);
  return answered(`sent back: ${rework.join(", ")} is worked again with your note`, [
    { type: "GateRejected", data: { gate: key, by: who, note: request.note, rework } },
    ...worked(state, rework, request.note, who),
    { type: "RunUnblocked", data: {} },
  ]);
}
