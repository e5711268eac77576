import type { Answer, CallPart, Dialect, Draft, Part, ResultPart } from "./draft.ts";
import { freeCallId, isCallId } from "./call-ids.ts";
import { callsOf, withParts } from "./draft.ts";
import { pairCalls, type Pairing } from "./pair-calls.ts";
import type { KnownResult, KnownResults, RepairLog } from "./repair.ts";

/** Repairs a history in one vendor's shape: pair, drop what cannot stay, clean, and bring results to their calls. */
export function repairDrafts(
  messages: readonly unknown[],
  dialect: Dialect,
  { known, log }: { readonly known: KnownResults | undefined; readonly log: RepairLog },
): readonly unknown[] {
  const asked = askOnce(known);
  const read = messages.map((message, at) => dialect.read(message, at, log));
  const usable = dropUnusable(read, log);
  const pairing = pairCalls(usable, dialect.uniqueIds);
  const paired = renameCalls(dropUnpaired(usable, { pairing, asked, log }), { pairing, dialect, log });
  const answer = (call: CallPart): Answer | undefined =>
    dialect.answer(call, asked(paired.formerly.get(call) ?? call));
  const cleaned = dropEmpty(dialect.clean(paired.drafts, log), log);
  const arranged = dialect.arrange(cleaned, { answers: paired.answers, answer, log });
  const full = dropEmpty(arranged, log);
  const finished = dialect.finish?.(full, log) ?? full;
  return finished.map((draft) => (draft.changed ? dialect.write(draft) : draft.source));
}

type Asked = (call: CallPart) => KnownResult | undefined;

function askOnce(known: KnownResults | undefined): Asked {
  const results = new Map<CallPart, KnownResult | undefined>();
  return (call) => {
    if (!results.has(call)) results.set(call, known?.(call.id, call.name, call.args));
    return results.get(call);
  };
}

function dropUnusable(drafts: readonly Draft[], log: RepairLog): readonly Draft[] {
  return drafts.map((draft) => {
    const kept = draft.parts.filter((part) => part.kind !== "unusable");
    for (let lost = kept.length; lost < draft.parts.length; lost += 1)
      log.add("unfinished-call-removed", draft.at);
    return withParts(draft, kept);
  });
}

interface Dropping {
  readonly pairing: Pairing;
  readonly asked: Asked;
  readonly log: RepairLog;
}

function dropUnpaired(drafts: readonly Draft[], dropping: Dropping): readonly Draft[] {
  return drafts.map((draft) =>
    withParts(
      draft,
      draft.parts.filter((part) => staysPaired(part, draft.at, dropping)),
    ),
  );
}

function staysPaired(part: Part, at: number, { pairing, asked, log }: Dropping): boolean {
  const drop = (kind: Parameters<RepairLog["add"]>[0], id: string): false => {
    log.add(kind, at, id);
    return false;
  };
  if (part.kind === "result") {
    if (pairing.repeatedResults.has(part)) return drop("duplicate-result-removed", part.id);
    if (pairing.orphanedResults.has(part)) return drop("orphaned-result-removed", part.id);
  }
  if (part.kind !== "call") return true;
  if (pairing.repeatedCalls.has(part)) return drop("duplicate-call-removed", part.id);
  // No tool can have been given half a text of JSON; only a result, or the journal, says otherwise.
  if (part.state === "cut" && !pairing.answers.has(part) && asked(part) === undefined)
    return drop("unfinished-call-removed", part.id);
  if (part.state !== "whole") log.add("arguments-made-valid", at, part.id);
  return true;
}

interface Renaming {
  readonly pairing: Pairing;
  readonly dialect: Dialect;
  readonly log: RepairLog;
}

interface Renamed {
  readonly drafts: readonly Draft[];
  readonly answers: ReadonlyMap<CallPart, ResultPart>;
  /** The journal knows a renamed call under its former id. */
  readonly formerly: ReadonlyMap<CallPart, CallPart>;
}

/** Gives a call that clashes, or whose id the vendor refuses, an id of its own, and its result the same. */
function renameCalls(drafts: readonly Draft[], { pairing, dialect, log }: Renaming): Renamed {
  const answers = new Map(pairing.answers);
  const formerly = new Map<CallPart, CallPart>();
  const wrong = drafts.flatMap(callsOf).filter(({ id }) => !isCallId(dialect.shape, id));
  const toRename = new Set([...pairing.clashingCalls, ...wrong]);
  if (toRename.size === 0) return { drafts, answers, formerly };
  const taken = new Set(drafts.flatMap((draft) => draft.parts.map((part) => ("id" in part ? part.id : ""))));
  const renamed = new Map<Part, Part>();
  for (const call of toRename) {
    const id = freeCallId(dialect.shape, call.id, taken);
    const newCall = dialect.rename(call, id);
    const result = answers.get(call);
    renamed.set(call, newCall);
    formerly.set(newCall, call);
    answers.delete(call);
    if (result === undefined) continue;
    const newResult = dialect.rename(result, id);
    renamed.set(result, newResult);
    answers.set(newCall, newResult);
  }
  const changed = drafts.map((draft) => {
    for (const part of draft.parts)
      if (part.kind === "call" && renamed.has(part))
        log.add(pairing.clashingCalls.has(part) ? "call-renamed" : "call-id-made-valid", draft.at, part.id);
    return withParts(
      draft,
      draft.parts.map((part) => renamed.get(part) ?? part),
    );
  });
  return { drafts: changed, answers, formerly };
}

/** A message that lost its last part to an earlier repair is not reported again as empty. */
function dropEmpty(drafts: readonly Draft[], log: RepairLog): readonly Draft[] {
  return drafts.filter((draft) => {
    if (draft.parts.length > 0) return true;
    if (!draft.changed) log.add("empty-message-removed", draft.at);
    return false;
  });
}
