import { callsOf, withParts, type Arrangement, type CallPart, type Draft, type ResultPart } from "./draft.ts";

/** Where a shape of messages wants the results of an assistant's calls. */
export interface AnswerPlace {
  readonly role: "user" | "tool";
  /** `next`: all in the very next message, before anything else in it. `run`: in the messages of that role that follow. */
  readonly where: "next" | "run";
  /** Whether a message holds one result or many. */
  readonly perMessage: "one" | "many";
}

/** Brings every result home: those in place stay in their order, the others follow them. */
export function arrangeAnswers(
  drafts: readonly Draft[],
  arrangement: Arrangement,
  place: AnswerPlace,
): readonly Draft[] {
  const out: Draft[] = [];
  const origin = originsOf(drafts);
  for (let index = 0; index < drafts.length;) {
    const draft = drafts[index] as Draft;
    const calls = callsOf(draft);
    out.push(withoutResults(draft, new Set()));
    index += 1;
    if (calls.length === 0) continue;
    const section = sectionAt(drafts, index, place);
    index += section.length;
    out.push(...fillSection(section, { draft, calls, origin, arrangement, place }));
  }
  return out;
}

interface Filling {
  readonly draft: Draft;
  readonly calls: readonly CallPart[];
  readonly origin: ReadonlyMap<ResultPart, number>;
  readonly arrangement: Arrangement;
  readonly place: AnswerPlace;
}

function fillSection(section: readonly Draft[], filling: Filling): readonly Draft[] {
  const { calls, origin, draft, arrangement, place } = filling;
  const { answers, answer, log } = arrangement;
  const mine = new Map<ResultPart, CallPart>();
  for (const call of calls) {
    const result = answers.get(call);
    if (result !== undefined) mine.set(result, call);
  }
  const present = new Set(
    section.flatMap((one) => one.parts.filter((part) => part.kind === "result" && mine.has(part))),
  );
  const late = calls.flatMap((call) => {
    const found = answers.get(call);
    if (found !== undefined && present.has(found)) return [];
    if (found !== undefined) log.add("result-moved", origin.get(found) ?? draft.at, call.id);
    const made = found === undefined || found.interrupted ? answer(call) : undefined;
    if (made !== undefined && (found === undefined || made.kind === "answered-from-journal")) {
      log.add(made.kind, draft.at, call.id);
      return [made.part];
    }
    return found === undefined ? [] : [found];
  });
  const kept = section.map((one) => upgraded(withoutResults(one, mine), mine, arrangement));
  return place.where === "next"
    ? intoNext(kept, late, filling)
    : place.perMessage === "one"
      ? [...kept, ...late.map((part) => newDraft(draft, place, [part]))]
      : intoLast(kept, late, filling);
}

/** Our own mark gives way once the journal knows the result. */
function upgraded(draft: Draft, mine: ReadonlyMap<ResultPart, CallPart>, arrangement: Arrangement): Draft {
  const parts = draft.parts.map((part) => {
    const call = part.kind === "result" && part.interrupted ? mine.get(part) : undefined;
    const made = call === undefined ? undefined : arrangement.answer(call);
    if (made?.kind !== "answered-from-journal") return part;
    arrangement.log.add(made.kind, draft.at, call?.id);
    return made.part;
  });
  return withParts(draft, parts);
}

function intoNext(kept: readonly Draft[], late: readonly ResultPart[], filling: Filling): readonly Draft[] {
  const [next] = kept;
  if (next === undefined) return [newDraft(filling.draft, filling.place, late)];
  const results = next.parts.filter((part) => part.kind === "result");
  const others = next.parts.filter((part) => part.kind !== "result");
  const behind = next.parts.findLast(
    (part, index) =>
      part.kind === "result" && next.parts.slice(0, index).some((one) => one.kind !== "result"),
  );
  if (behind?.kind === "result") filling.arrangement.log.add("result-moved", next.at, behind.id);
  return [withParts(next, [...results, ...late, ...others])];
}

function intoLast(kept: readonly Draft[], late: readonly ResultPart[], filling: Filling): readonly Draft[] {
  const last = kept.at(-1);
  if (late.length === 0) return kept;
  if (last === undefined) return [newDraft(filling.draft, filling.place, late)];
  return [...kept.slice(0, -1), withParts(last, [...last.parts, ...late])];
}

const newDraft = (caller: Draft, place: AnswerPlace, parts: readonly ResultPart[]): Draft => ({
  at: caller.at,
  role: place.role,
  source: undefined,
  parts,
  changed: true,
});

const withoutResults = (draft: Draft, kept: { has(part: ResultPart): boolean }): Draft =>
  withParts(
    draft,
    draft.parts.filter((part) => part.kind !== "result" || kept.has(part)),
  );

function sectionAt(drafts: readonly Draft[], from: number, place: AnswerPlace): readonly Draft[] {
  let end = from;
  const limit = place.where === "next" ? Math.min(from + 1, drafts.length) : drafts.length;
  while (end < limit && drafts[end]?.role === place.role) end += 1;
  return drafts.slice(from, end);
}

function originsOf(drafts: readonly Draft[]): ReadonlyMap<ResultPart, number> {
  const origins = new Map<ResultPart, number>();
  for (const draft of drafts)
    for (const part of draft.parts) if (part.kind === "result") origins.set(part, draft.at);
  return origins;
}
