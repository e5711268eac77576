import { PATTERNS, type Pattern } from "../../model/agent/health.ts";
import {
  REMEDIES,
  type Cause,
  type Diagnosis,
  type LadderState,
  type Remedy,
} from "../../model/agent/ladder.ts";
import type { RunSettings } from "../../model/settings/settings.ts";

/** A rung: how often it may be tried, how long after the last remedy each try comes, and what it changes. */
interface Rung {
  readonly remedy: Remedy;
  readonly budget: (settings: RunSettings) => number;
  /** Time in which the remedy before it may show that it helped. */
  readonly delayMs: (settings: RunSettings, tryNumber: number) => number;
  /** Whether its uses are counted over all incidents of a step, so that trouble that comes back cannot use it for ever. */
  readonly perStep: boolean;
  readonly changes: string;
  /** The troubles that it can help, by where they come from. */
  readonly helps: Readonly<Record<Cause, readonly Pattern[]>>;
  /** Why it does not help the others. */
  readonly unfit: string;
}

const once = (): number => 1;
const atOnce = (): number => 0;

const EVERYTHING = { agent: PATTERNS, provider: PATTERNS } as const;
const allBut = (...left: readonly Pattern[]): readonly Pattern[] =>
  PATTERNS.filter((pattern) => !left.includes(pattern));

/** The ladder is data. Progress after a remedy is what leads back down from every rung. */
export const LADDER: readonly Rung[] = [
  {
    remedy: "warn",
    budget: once,
    delayMs: atOnce,
    perStep: false,
    changes: "it is said, and nothing is done",
    helps: EVERYTHING,
    unfit: "",
  },
  {
    remedy: "nudge",
    budget: ({ ladder }) => ladder.nudges,
    delayMs: ({ ladder }, nth) => ladder.nudgeMs * 2 ** (nth - 1),
    perStep: false,
    changes: "the agent is shown what it is doing",
    // A message makes an agent ask its model again: a request that hangs is given up for it.
    helps: { agent: allBut("resource_exhaustion"), provider: ["no_progress"] },
    unfit: "a message does not mend a provider, and fills a full context further",
  },
  {
    remedy: "strategy",
    budget: once,
    delayMs: ({ ladder }) => ladder.strategyMs,
    perStep: false,
    changes: "the agent is asked to change its strategy, or to free context",
    helps: { agent: PATTERNS, provider: [] },
    unfit: "no other way of the agent helps against its provider",
  },
  {
    remedy: "restart",
    budget: ({ ladder }) => ladder.restarts,
    delayMs: ({ ladder }, nth) => Math.min(ladder.restartCapMs, ladder.restartMs * 2 ** (nth - 1)),
    perStep: true,
    changes: "the session is ended and started again, with its conversation where the agent can",
    helps: EVERYTHING,
    unfit: "",
  },
  {
    remedy: "restore",
    budget: once,
    delayMs: ({ ladder }) => ladder.strategyMs,
    perStep: true,
    changes:
      "the files go back to a checkpoint of before the trouble, and the agent begins a new conversation",
    // Only where the files or the conversation may be what is broken. Silence and a full context show neither.
    helps: { agent: allBut("no_progress", "resource_exhaustion"), provider: [] },
    unfit: "nothing shows that the files or the conversation are broken, and work would be lost",
  },
  {
    remedy: "helper",
    budget: once,
    delayMs: atOnce,
    perStep: true,
    changes: "an agent is given only the part that fails, and then the step goes on",
    helps: { agent: allBut("no_progress", "resource_exhaustion"), provider: [] },
    unfit: "a smaller task does not help where the provider fails, or the agent is silent or out of context",
  },
  {
    remedy: "other_agent",
    budget: once,
    delayMs: atOnce,
    perStep: true,
    changes: "another agent takes the step",
    helps: EVERYTHING,
    unfit: "",
  },
  {
    remedy: "operator",
    budget: once,
    delayMs: atOnce,
    perStep: false,
    changes: "the run waits for an operator",
    helps: EVERYTHING,
    unfit: "",
  },
  {
    remedy: "external",
    budget: once,
    delayMs: ({ ladder }) => ladder.operatorMs,
    perStep: false,
    changes: "people are notified through the channels kept for it",
    helps: EVERYTHING,
    unfit: "",
  },
];

const rungOf = (remedy: Remedy): Rung => LADDER[REMEDIES.indexOf(remedy)] ?? (LADDER[0] as Rung);

/** Why a remedy cannot help against what is wrong; null where it may. */
export function whyUnfit(remedy: Remedy, { pattern, cause }: Diagnosis): string | null {
  const { helps, unfit } = rungOf(remedy);
  if (helps[cause].includes(pattern)) return null;
  const from = cause === "provider" ? ", caused by the provider" : "";
  return `it cannot help against ${pattern}${from}: ${unfit}`;
}

export interface NextRemedy {
  readonly remedy: Remedy;
  readonly tryNumber: number;
  readonly dueAt: number;
}

/** Uses of a remedy over all incidents of a step, for those whose budget is the step's. */
export type UsedBefore = Partial<Readonly<Record<Remedy, number>>>;

/** What comes next, and not before when; null at the top. A rung is left only when its budget is spent or it cannot be done. */
export function nextRemedy(
  ladder: LadderState | null,
  used: UsedBefore,
  settings: RunSettings,
  now: number,
): NextRemedy | null {
  if (ladder === null) return { remedy: "warn", tryNumber: 1, dueAt: now };
  const rung = rungOf(ladder.remedy);
  const spent = rung.perStep ? (used[rung.remedy] ?? 0) : ladder.tryNumber;
  const again = ladder.outcome !== "not_applicable" && spent < rung.budget(settings);
  if (again) return planned(ladder, rung, ladder.tryNumber + 1, settings);
  const next = LADDER[REMEDIES.indexOf(ladder.remedy) + 1];
  if (next === undefined) return null;
  return planned(ladder, next, (next.perStep ? (used[next.remedy] ?? 0) : 0) + 1, settings);
}

const planned = (
  { takenAt }: LadderState,
  rung: Rung,
  tryNumber: number,
  settings: RunSettings,
): NextRemedy => ({ remedy: rung.remedy, tryNumber, dueAt: takenAt + rung.delayMs(settings, tryNumber) });

/** Whether a remedy's own budget allows this try. */
export const isWithinBudget = ({ remedy, tryNumber }: NextRemedy, settings: RunSettings): boolean =>
  tryNumber <= rungOf(remedy).budget(settings);

const SAID: Readonly<Record<Pattern, string>> = {
  no_progress: "there was no output from you for a long time",
  error_loop: "the same failure came again and again",
  tool_loop: "you made the same calls again and again and saw nothing new",
  monologue: "you said the same again and again and did nothing",
  alternation: "you made the same changes and took them back again and again",
  promise: "you announced what you would do and did not do it",
  early_stop: "you stopped although your task is not done",
  resource_exhaustion: "your context is nearly full",
  timeout: "a command of yours does not end",
};

const NUDGES: Readonly<Record<Pattern, string>> = {
  no_progress: "Say in one sentence what you are waiting for, and go on.",
  error_loop: "Read the last error in full, say what causes it, and try something else than before.",
  tool_loop: "Do not repeat the last calls. Say what you have learned so far and take the next step.",
  monologue: "Do not answer with words alone. Do the next step of your task now.",
  alternation: "Decide for one of the two, say why, and go on from there.",
  promise: "Do now what you announced, beginning with its first step.",
  early_stop: "Go on with what is left of your task.",
  resource_exhaustion: "Write down what is done and what is left, and compact your context.",
  timeout: "Stop that command, and run it in a way that ends.",
};

/** What the agent receives: different for each trouble, and plainer with each try. */
export function nudgeText(pattern: Pattern, tryNumber: number, evidence: readonly string[]): string {
  const [seen] = evidence;
  const because = seen === undefined ? "" : ` (${seen})`;
  if (tryNumber === 1) return `It looks as if you are stuck: ${SAID[pattern]}${because}. ${NUDGES[pattern]}`;
  if (tryNumber === 2)
    return `You still seem to be stuck: ${SAID[pattern]}. ${NUDGES[pattern]} If something keeps you from it, say what.`;
  return `This is reminder ${String(tryNumber)}: ${SAID[pattern]}. ${NUDGES[pattern]} If you cannot, stop and say why.`;
}

/** `compact`: what makes this agent condense its context by itself. */
export const strategyText = (pattern: Pattern, compact?: string): string =>
  pattern === "resource_exhaustion"
    ? (compact ??
      "Your context is nearly full. Compact it now: keep the task, what is done, what is left and the open questions; leave out everything else.")
    : `Your way does not work: ${SAID[pattern]}. Leave it. List two other ways to reach the goal, choose the simpler one, and begin with its smallest step that can be checked.`;

const TASK_CHARS = 600;

/** What a helper receives: the part that fails and nothing else; the task is there for orientation. */
export function helperTask(
  pattern: Pattern,
  evidence: readonly string[],
  task: string,
  found: string | null,
): string {
  const whole = task.length <= TASK_CHARS ? task : `${task.slice(0, TASK_CHARS)}…`;
  return [
    "(From Holdfast:) Another agent is stuck, and you help with one part. Do the smallest step that gets past what fails and can be checked. Do nothing else, and say what you did.",
    `What fails (${pattern}): ${evidence.join("; ")}`,
    ...(found === null ? [] : [`What its checks found:\n${found}`]),
    `Its task, for orientation only:\n${whole}`,
  ].join("\n\n");
}

export const restartNote = (pattern: Pattern, evidence: readonly string[]): string =>
  `(From Holdfast:) the last session was ended because it was stuck: ${SAID[pattern]}${evidence[0] === undefined ? "" : ` (${evidence[0]})`}. Go another way this time.`;
