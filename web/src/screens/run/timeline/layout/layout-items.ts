import type { AnswerOf } from "../../../../../../src/api/client/client.ts";

export type TimelineAnswer = AnswerOf<"getTimeline">;
type AnsweredInterval = TimelineAnswer["intervals"][number];
type AnsweredMark = TimelineAnswer["marks"][number];

/** Something that lasts, with its times as milliseconds. Null: not known in what is loaded, or not over. */
export interface Lasting extends Omit<AnsweredInterval, "from" | "to"> {
  readonly from: number | null;
  readonly to: number | null;
}

export interface Mark extends Omit<AnsweredMark, "at"> {
  readonly at: number;
}

/** What is loaded of a run's timeline: neighbouring windows of its journal, as one. */
export interface Loaded {
  readonly lasting: readonly Lasting[];
  readonly marks: readonly Mark[];
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly head: number;
}

const msOf = (time: string): number => Date.parse(time);

/** Joins windows, oldest first, each of which ends where the next one begins. What lasts across an edge becomes one. */
export function joinWindows(windows: readonly TimelineAnswer[]): Loaded {
  const marks: Mark[] = [];
  const lasting: Lasting[] = [];
  const open = new Map<string, number>();
  for (const window of windows) {
    for (const one of window.intervals) take(lasting, open, one);
    for (const one of window.marks) marks.push({ ...one, at: msOf(one.at) });
  }
  const [first, last] = [windows[0], windows.at(-1)];
  return {
    lasting,
    marks,
    fromSeq: first?.fromSeq ?? 0,
    toSeq: last?.toSeq ?? 0,
    head: Math.max(0, ...windows.map(({ head }) => head)),
  };
}

const keyOf = ({ kind, lane, id }: AnsweredInterval): string => `${kind} ${lane} ${id}`;

function take(into: Lasting[], open: Map<string, number>, one: AnsweredInterval): void {
  const known = open.get(keyOf(one));
  const before = known === undefined ? undefined : into[known];
  const to = one.to === null ? null : msOf(one.to);
  if (known !== undefined && before !== undefined && one.fromSeq === null) {
    into[known] = { ...before, to, toSeq: one.toSeq, outcome: one.outcome ?? before.outcome };
    if (to !== null) open.delete(keyOf(one));
    return;
  }
  if (one.kind === "attempt" && one.from !== null) endWait(into, open, one);
  into.push({ ...one, from: one.from === null ? null : msOf(one.from), to });
  if (to === null) open.set(keyOf(one), into.length - 1);
}

/** A wait of a part that was read before ends where the attempt begins that it led to. */
function endWait(
  into: Lasting[],
  open: Map<string, number>,
  { lane, from, fromSeq }: AnsweredInterval,
): void {
  const key = `wait ${lane} ${lane}`;
  const at = open.get(key);
  const wait = at === undefined ? undefined : into[at];
  if (at === undefined || wait === undefined || from === null) return;
  into[at] = { ...wait, to: msOf(from), toSeq: fromSeq };
  open.delete(key);
}

export interface Extent {
  readonly from: number;
  readonly to: number;
}

/** From the first to the last moment that anything is known of; what is not over reaches to `now` where the end is loaded. */
export function extentOf({ lasting, marks, toSeq, head }: Loaded, now: number): Extent {
  const times = [
    ...lasting.flatMap(({ from, to }) => [from, to]),
    ...marks.map(({ at }) => at),
    ...(toSeq === head && lasting.some(({ to }) => to === null) ? [now] : []),
  ].filter((time) => time !== null);
  if (times.length === 0) return { from: now - 60_000, to: now };
  let [from, to] = [Infinity, -Infinity];
  for (const time of times) [from, to] = [Math.min(from, time), Math.max(to, time)];
  return { from, to: Math.max(to, from + 1_000) };
}
