import type { ContinuousView, GoalView } from "../../views/continuous/continuous-view.ts";
import { countsText } from "../../views/continuous/session-note.ts";
import { durationText } from "../../model/text/duration.ts";
import { tableLines } from "./table.ts";

const GOAL_CHARS_MAX = 60;

/** A session as people read it: where it stands, what it may spend, and its goals. */
export function continuousLines(view: ContinuousView): string[] {
  return [
    `${view.session}  ${headOf(view)}`,
    `goals from ${view.intake}: ${countsText(view.counts)}`,
    ...budgetLines(view),
    ...view.blockedBy.flatMap(({ run, reason, detail, command }) => [
      `blocked by ${run} (${reason}): ${detail}`,
      `  ${command}`,
    ]),
    ...(view.end !== null && view.left.length > 0 ? [`left: ${view.left.join(", ")}`] : []),
    ...view.undelivered.map(({ channel, text }) => `the digest was not taken by ${channel}: ${text}`),
    ...view.problems.map((problem) => `intake: ${problem}`),
    ...(view.nextAt === null ? [] : [`next at ${view.nextAt}`]),
    ...(view.goals.length === 0 ? [] : ["", ...tableLines([HEAD, ...view.goals.map(goalRow)])]),
    ...(view.command === null ? [] : ["", `continue with ${view.command}`]),
  ];
}

function headOf({ status, end, text, stoppedBy, pausedBy }: ContinuousView): string {
  if (end !== null) return `${end}: ${text ?? ""}`;
  if (stoppedBy !== null) return `stopped by ${stoppedBy}`;
  return pausedBy === null ? status : `${status} by ${pausedBy}`;
}

function budgetLines({ budget: { limits, spent, today } }: ContinuousView): string[] {
  const { day } = limits;
  const lines = [spentText({ limits, spent })];
  return day === undefined ? lines : [...lines, `today: ${amounts(today, day)}`];
}

type Amounts = ContinuousView["budget"]["spent"];

function amounts(spent: Amounts, limits: { readonly [Kind in keyof Amounts]?: number | undefined }): string {
  const of = (kind: keyof Amounts): string => {
    const limit = limits[kind];
    return limit === undefined
      ? TEXTS[kind](spent[kind])
      : `${TEXTS[kind](spent[kind])} of ${TEXTS[kind](limit)}`;
  };
  return (["usd", "tokens", "timeMs", "runs"] as const).map(of).join(", ");
}

/** `spent: $2.00 of $20.00, …`, of anything that has a budget in all. */
export const spentText = ({ limits, spent }: Pick<ContinuousView["budget"], "limits" | "spent">): string => {
  const { usd, tokens, timeMs, runs } = limits;
  return `spent: ${amounts(spent, { usd, tokens, timeMs, runs })}`;
};

const TEXTS = {
  usd: (value: number): string => `$${value.toFixed(2)}`,
  tokens: (value: number): string => `${String(value)} tokens`,
  timeMs: (value: number): string => (value === 0 ? "0s" : durationText(value)),
  runs: (value: number): string => `${String(value)} runs`,
} as const;

const HEAD = ["GOAL", "STATUS", "RUN", "WHAT"] as const;

const goalRow = ({ id, status, run, goal, text }: GoalView): string[] => [
  id,
  status.replaceAll("_", " "),
  run ?? "",
  text === null || status === "done" ? cut(goal) : cut(`${goal}: ${text}`),
];

const cut = (text: string): string =>
  text.length <= GOAL_CHARS_MAX ? text : `${text.slice(0, GOAL_CHARS_MAX - 1)}…`;
