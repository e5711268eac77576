import { costText } from "../text/cost-text.ts";
import type { Recorded } from "../../model/events/events.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { statusView, type StatusView } from "../status/status.ts";
import { describeEvent } from "../text/describe-event.ts";
import { escalationRows, decisionRows } from "./report-people.ts";
import { attemptRows, checkRows, gateRows, turnRows } from "./report-work.ts";
import { whyView } from "../why/why.ts";
import { WhyJournal } from "../why/why-journal.ts";

/**
 * A part of a report: words, a list, or a table. All of it is text; how it is marked up is for the one that writes it.
 */
export interface ReportPart {
  readonly title: string;
  readonly lines?: readonly string[];
  readonly table?: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
  /** Commands to paste. */
  readonly commands?: readonly string[];
}

export interface Report {
  readonly run: string;
  readonly title: string;
  readonly parts: readonly ReportPart[];
}

/** The newest lines of a long story are shown; all of it is in the journal. */
const TIMELINE_MAX = 300;

/** A run that nothing was shown of has a word too, which the state itself does not hold. */
const realityLines = ({ reality, steps }: StatusView, now: readonly string[]): string[] => {
  const rests = steps.flatMap((step) => (step.rests === null ? [] : [`${step.name}: ${step.rests}`]));
  const said = [
    ...(reality === null ? [] : [`reality check: ${reality.verdict}: ${reality.why}`]),
    ...rests.slice(-TIMELINE_MAX),
  ];
  return said.filter((line) => !now.includes(line));
};

/** Everything about a run in one document: what was wanted, what became of it, who did what, what it cost, what is left. */
export function reportOf(events: readonly Recorded[], store: string | null): Report {
  const journal = new WhyJournal(events);
  const { state } = journal;
  const view = statusView(state, store);
  const why = whyView(events, store);
  const parts: ReportPart[] = [
    { title: "Goal", lines: [state.goal] },
    {
      title: "Outcome",
      lines: [
        why.state,
        ...why.now,
        ...realityLines(view, why.now),
        ...outcomeLines(view.result, view.failure),
      ],
    },
    {
      title: "What is left to do",
      lines:
        view.blocked === null ? [view.next === null ? "Nothing." : "It goes on with:"] : view.blocked.advice,
      commands: view.next === null ? [] : [view.next],
    },
    { title: "Steps", table: stepTable(view.steps) },
    {
      title: "Gates",
      table: {
        head: ["gate", "state", "approved by", "digest", "sent back"],
        rows: gateRows(view.gates, journal),
      },
    },
    {
      title: "Turns",
      table: { head: ["event", "when", "who", "because of", "what"], rows: turnRows(journal) },
    },
    ...tables(view, journal),
    { title: "Cost", lines: costLines(journal) },
    { title: "Timeline", ...timeline(events) },
  ];
  return { run: state.run, title: `${state.run}: ${state.status}`, parts: parts.filter(isReported) };
}

const tables = (view: StatusView, journal: WhyJournal): ReportPart[] => [
  {
    title: "Attempts",
    table: {
      head: ["event", "attempt", "agent", "began", "took", "outcome", "why"],
      rows: attemptRows(journal),
    },
  },
  {
    title: "Checks",
    table: {
      head: ["event", "command", "verdict", "exit", "took", "sha256", "output"],
      rows: checkRows(journal),
    },
  },
  {
    title: "Artifacts",
    table: {
      head: ["step", "file", "bytes", "sha256"],
      rows: view.artifacts.map(({ step, path, bytes, sha256 }) => [step, path, String(bytes), sha256]),
    },
  },
  {
    title: "Questions to people",
    table: {
      head: ["id", "reason", "asked", "settled", "after", "by", "note"],
      rows: escalationRows(journal),
    },
  },
  {
    title: "Decisions of people",
    table: { head: ["event", "when", "who", "what", "words", "answer"], rows: decisionRows(journal) },
  },
];

const isReported = ({ lines, table, commands }: ReportPart): boolean =>
  (lines?.length ?? 0) + (table?.rows.length ?? 0) + (commands?.length ?? 0) > 0;

const outcomeLines = (result: unknown, failure: string | null): string[] => [
  ...(result === null || result === undefined
    ? []
    : [`Result: ${typeof result === "string" ? result : JSON.stringify(result)}`]),
  ...(failure === null ? [] : [`Failure: ${failure}`]),
];

const stepTable = (steps: ReturnType<typeof statusView>["steps"]): NonNullable<ReportPart["table"]> => ({
  head: ["step", "status", "attempts", "agent", "planned by", "why"],
  rows: steps.map((step) => [
    step.name,
    step.status,
    String(step.attempts),
    step.agent,
    step.plannedBy ?? "",
    step.why ?? "",
  ]),
});

/** Agents show what they used as they go; a workflow function says what it spent. */
function costLines(journal: WhyJournal): string[] {
  const { spent, budget } = journal.state;
  const used = { ...spent };
  const costs = costText(journal.state);
  for (const { data } of journal.before("BodySpent", journal.end)) {
    used.usd += data.usd;
    used.tokens += data.tokens;
  }
  return [
    `${used.usd.toFixed(2)} USD${budget.usd === undefined ? "" : ` of ${String(budget.usd)}`}`,
    ...(costs === null ? [] : [costs]),
    `${String(used.tokens)} tokens${budget.tokens === undefined ? "" : ` of ${String(budget.tokens)}`}`,
  ];
}

const QUIET: ReadonlySet<string> = new Set(["EffectIntended", "EffectSettled", "BodyDrew", "SignalsHeard"]);

function timeline(events: readonly Recorded[]): Pick<ReportPart, "lines" | "table"> {
  const shown = events.filter(({ type }) => !QUIET.has(type));
  const left = Math.max(0, shown.length - TIMELINE_MAX);
  return {
    lines: left === 0 ? [] : [`${String(left)} earlier events are left out.`],
    table: {
      head: ["event", "when", "what"],
      rows: shown.slice(left).map((event) => [String(event.seq), isoTime(event.at), describeEvent(event)]),
    },
  };
}
