import type { EventType, Recorded } from "../../model/events/events.ts";

/** A place at which two events say different things; undefined where one says nothing. */
export interface Difference {
  readonly path: string;
  readonly a: unknown;
  readonly b: unknown;
}

/** Facts that differ between any two runs and say nothing about them: who, when, and how far a spool was read. */
const OWN_FIELDS: Partial<Record<EventType, readonly string[]>> = {
  RunClaimed: ["owner", "epoch", "clock"],
  ClockJumped: ["clock"],
  RequestHeard: ["requestId"],
  RequestAnswered: ["requestId"],
  SignalsHeard: ["cursor"],
  StepRetryScheduled: ["notBefore", "limit"],
  HealthChanged: ["until", "evidence"],
};

const DRAWN_ID = /\b(run|req|own|esc)_[0-9a-hjkmnp-tv-z]{20}\b/g;
const PROCESS = /\b(pid|process) \d+\b/g;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const DIFFERENCES_MAX = 20;

/** An agent says the same in one breath or in two, as it happens to be received: each signal counts for itself. */
export const factsIn = (event: Recorded): Recorded[] =>
  event.type === "SignalsHeard"
    ? event.data.signals.map((signal) => ({ ...event, data: { ...event.data, signals: [signal] } }))
    : [event];

/** What two events at the same place of their runs differ in; ids, times and hashes do not count. */
export function differencesOf(a: Recorded, b: Recorded): Difference[] {
  if (a.type !== b.type) return [{ path: "type", a: a.type, b: b.type }];
  const found: Difference[] = [];
  collect({ path: "data", a: comparable(a), b: comparable(b) }, found);
  // A run may be called by a word that both use: what was the same to begin with does not differ.
  return found.filter(({ path }) => {
    const [before, after] = [valueAt(a, path), valueAt(b, path)];
    return before === undefined || before !== after;
  });
}

function valueAt(event: Recorded, path: string): unknown {
  let value: unknown = event;
  for (const key of path.split(".")) value = isNode(value) ? value[key] : undefined;
  return value;
}

function comparable(event: Recorded): unknown {
  const data: Record<string, unknown> = { ...event.data };
  for (const field of OWN_FIELDS[event.type] ?? []) Reflect.deleteProperty(data, field);
  const ownName = new RegExp(`(?<![\\w-])${event.run.replaceAll(/[^\w]/g, "\\$&")}(?![\\w-])`, "g");
  const plain = (text: string): string =>
    text
      .replaceAll(ownName, "RUN")
      .replaceAll(DRAWN_ID, "$1_…")
      .replaceAll(TIME, "TIME")
      .replaceAll(PROCESS, "$1 …");
  return mapped(data, plain);
}

function mapped(value: unknown, plain: (text: string) => string): unknown {
  if (typeof value === "string") return plain(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, plain));
  if (typeof value !== "object" || value === null) return value;
  // When a limit ends is a time, no matter who reports it.
  const entries = Object.entries(value).filter(([key]) => key !== "resetsAt");
  return Object.fromEntries(entries.map(([key, item]) => [plain(key), mapped(item, plain)]));
}

function collect({ path, a, b }: Difference, found: Difference[]): void {
  if (found.length >= DIFFERENCES_MAX || Object.is(a, b)) return;
  if (!isNode(a) || !isNode(b) || Array.isArray(a) !== Array.isArray(b)) {
    found.push({ path, a, b });
    return;
  }
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
    collect({ path: `${path}.${key}`, a: a[key], b: b[key] }, found);
}

const isNode = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
