import type { Arrangement, CallPart, Draft, ResultPart } from "./draft.ts";
import { asText } from "./repair.ts";
import { RESPONSES_KINDS } from "./openai/responses-kinds.ts";

/**
 * Gives every call its output somewhere after it. Outputs already after their call stay; new ones, and those that came
 * too early, follow the calls and outputs of the same moment, so that parallel calls stay together.
 */
export function arrangeOutputs(drafts: readonly Draft[], arrangement: Arrangement): readonly Draft[] {
  const callOf = new Map([...arrangement.answers].map(([call, result]) => [result, call]));
  const inOrder = resultsInOrder(drafts, callOf);
  const out: Draft[] = [];
  const owed: Draft[] = [];
  for (const draft of drafts) {
    const [part] = draft.parts;
    if (part?.kind === "result") {
      const call = callOf.get(part);
      if (call !== undefined && inOrder.has(part))
        out.push(written(draft, best(call, part, draft, arrangement)));
    } else if (part?.kind === "call") {
      const found = arrangement.answers.get(part);
      const output =
        found === undefined || !inOrder.has(found) ? owedOutput(part, draft, arrangement) : "later";
      if (output === undefined) continue;
      out.push(draft);
      if (output !== "later") owed.push(written({ ...draft, source: undefined }, output));
    } else {
      out.push(...owed.splice(0), draft);
    }
  }
  return [...out, ...owed];
}

/** The results that stand after their call. */
function resultsInOrder(
  drafts: readonly Draft[],
  callOf: ReadonlyMap<ResultPart, CallPart>,
): ReadonlySet<ResultPart> {
  const called = new Set<CallPart>();
  const inOrder = new Set<ResultPart>();
  for (const part of drafts.flatMap((draft) => draft.parts)) {
    if (part.kind === "call") called.add(part);
    const call = part.kind === "result" ? callOf.get(part) : undefined;
    if (part.kind === "result" && call !== undefined && called.has(call)) inOrder.add(part);
  }
  return inOrder;
}

/** The output of a call that has none after it; `undefined` when the call had to go. */
function owedOutput(call: CallPart, draft: Draft, arrangement: Arrangement): ResultPart | undefined {
  const { answers, answer, log } = arrangement;
  const early = answers.get(call);
  if (early !== undefined) {
    log.add("result-moved", draft.at, call.id);
    return best(call, early, draft, arrangement);
  }
  const made = answer(call);
  log.add(made?.kind ?? "unanswerable-call-removed", draft.at, call.id);
  return made?.part;
}

/** The result found, of the call's own kind; or the journal's, where the one found is our own mark. */
function best(call: CallPart, found: ResultPart, { at }: Draft, { answer, log }: Arrangement): ResultPart {
  const made = found.interrupted ? answer(call) : undefined;
  if (made?.kind === "answered-from-journal") {
    log.add(made.kind, at, call.id);
    return made.part;
  }
  const type = RESPONSES_KINDS.get(asText(call.value["type"]))?.outputType;
  if (type === found.value["type"]) return found;
  log.add("result-made-valid", at, call.id);
  return { ...found, value: { ...found.value, type } };
}

const written = (draft: Draft, part: ResultPart): Draft =>
  part === draft.parts[0] ? draft : { ...draft, parts: [part], changed: true };
