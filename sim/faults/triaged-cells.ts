import { whyUnfit } from "../../src/decide/ladder/ladder.ts";
import type { Remedy } from "../../src/model/agent/ladder.ts";
import { LIVE_TROUBLES } from "./live-troubles.ts";
import type { Cell, CellResult } from "./recovery-cell.ts";

/** Troubles that only weak evidence speaks for. */
const WEAK = LIVE_TROUBLES.filter(({ pattern }) => ["no_progress", "timeout", "promise"].includes(pattern));

/** What is answered, and the remedy that comes of it: it is the one that helps, so that any other shows. */
const ANSWERS: readonly (readonly [string, Remedy])[] = [
  ['{"verdict": "continue", "why": "it works"}', "nudge"],
  ['{"verdict": "restart", "why": "it hangs"}', "restart"],
  ['{"verdict": "stop", "why": "it cannot be done"}', "operator"],
];

/** What is no answer changes nothing: what would have helped still does. */
const NO_ANSWER = "I think that it should go on.";
export const isAnswered = ({ judge }: Cell): boolean => judge !== NO_ANSWER;

export const TRIAGED_CELLS: readonly Cell[] = WEAK.flatMap((trouble) => [
  ...ANSWERS.map(([judge, cure]) => ({ trouble, cure, judge })),
  { trouble, cure: whyUnfit("strategy", trouble) === null ? "strategy" : "restart", judge: NO_ANSWER },
]);

/** An agent is asked once for each trouble, has ended before its answer counts, and nothing heavy is done meanwhile. */
export function triageIsKept({ events, advisers }: CellResult): string[] {
  const said: string[] = [];
  const asked = new Set<string>();
  let open: string | null = null;
  for (const { type, data, seq } of events) {
    if (type === "EffectIntended" && data.effect.kind === "AskTriage") {
      const about = `${data.effect.step} at ${String(data.effect.openedAt)}`;
      if (asked.has(about)) said.push(`an agent is asked a second time about ${about}`);
      asked.add(about);
      open = data.effect.session;
    }
    if (type === "TriageJudged") open = null;
    if (type === "RemedyTaken" && open !== null && !LIGHT.has(data.remedy))
      said.push(`${data.remedy} at ${String(seq)} is taken while an answer is awaited`);
  }
  if (asked.size === 0) said.push("nobody was asked");
  if (advisers.length !== asked.size)
    said.push(`${String(advisers.length)} sessions were asked, ${String(asked.size)} were meant to be`);
  for (const { order, isOver } of advisers) if (!isOver) said.push(`${order.session} still lives`);
  if (open !== null) said.push(`what ${open} answered was never judged`);
  return said;
}

/** Words do no harm while an answer is awaited. */
const LIGHT: ReadonlySet<Remedy> = new Set<Remedy>(["warn", "nudge", "strategy"]);
