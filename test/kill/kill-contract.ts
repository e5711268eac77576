import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Journal } from "../../src/journal/journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { Recorded, RunEvent } from "../../src/model/events/events.ts";
import type { DiedWith } from "../../src/model/events/died-with.ts";
import { realWorld } from "../../src/real-world.ts";

import { storeFolder } from "./store-folder.ts";

/** What must hold of a run, however often its supervisor was killed on the way. */
export interface Expected {
  readonly run: string;
  readonly result: unknown;
  /** Charged attempts per step, as in an undisturbed run. */
  readonly charged: Readonly<Record<string, number>>;
  /** What an attempt may have died with instead of the end that it would have been charged for. */
  readonly excused?: readonly DiedWith[];
}

/** Checks every clause of the contract and returns the violations; an empty list is what is wanted. */
export async function violations(folder: string, expected: Expected): Promise<string[]> {
  const journal = await openSqliteJournal({
    file: join(storeFolder(folder), "journal.db"),
    world: realWorld(),
  });
  try {
    const events = await journal.read(expected.run, { after: 0, limit: 100_000 });
    return [
      ...sameResult(events, expected),
      ...everyNoticeArrived(events, folder),
      ...alarmRangOnce(events),
      ...nothingAcknowledgedLost(events, folder),
      ...noCommittedWorkRedone(events),
      ...effectsOnce(events, folder),
      ...nothingChargedForOurDeath(events, expected),
      ...(await chainVerifies(journal)),
    ];
  } finally {
    await journal.close();
  }
}

const of = <Type extends RunEvent["type"]>(events: readonly Recorded[], type: Type) =>
  events.filter((event): event is Extract<Recorded, { type: Type }> => event.type === type);

function sameResult(events: readonly Recorded[], { result }: Expected): string[] {
  const last = of(events, "RunCompleted");
  if (last.length !== 1)
    return [`the run completed ${String(last.length)} times, expected once${whyStopped(events)}`];
  const found = JSON.stringify(last[0]?.data.result);
  return found === JSON.stringify(result)
    ? []
    : [`the result is ${found}, expected ${JSON.stringify(result)}`];
}

/** What stands in the way of a run that did not complete, for the one that reads the violation. */
function whyStopped(events: readonly Recorded[]): string {
  const reported = [...of(events, "AttemptEnded").slice(-5), ...of(events, "RunBlocked")];
  return reported
    .map(({ seq, type, data }) => `\n    ${String(seq)} ${type} ${JSON.stringify(data)}`)
    .join("");
}

const endsOf = (events: readonly Recorded[], step: string): string =>
  of(events, "AttemptEnded")
    .filter(({ data }) => data.attempt.startsWith(`${step}#`))
    .map(({ seq, data }) => `\n    ${String(seq)} ${JSON.stringify(data)}`)
    .join("");

const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];

function nothingAcknowledgedLost(events: readonly Recorded[], folder: string): string[] {
  return linesOf(join(folder, "acks")).flatMap((line) => {
    const [seq, hash] = line.split(" ");
    return events[Number(seq) - 1]?.hash === hash ? [] : [`acknowledged event ${line} is not in the journal`];
  });
}

function noCommittedWorkRedone(events: readonly Recorded[]): string[] {
  const done = new Map<string, number>();
  const found: string[] = [];
  for (const event of events) {
    if (event.type === "StepSucceeded") {
      if (done.has(event.data.step)) found.push(`step ${event.data.step} succeeded twice`);
      done.set(event.data.step, event.seq);
    }
    if (event.type === "AttemptStarted" && done.has(event.data.step))
      found.push(`step ${event.data.step} was started again after it had succeeded`);
  }
  return found;
}

/** An intent settles once, and a scripted agent (which outlives its supervisor) is started once per attempt. */
function effectsOnce(events: readonly Recorded[], folder: string): string[] {
  const twice = (what: string, names: readonly string[]): string[] =>
    names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${what}: ${name}`);
  const live = new Map<string, number>();
  const overlapping = events.flatMap((event) => {
    if (event.type === "AttemptStarted") live.set(event.data.step, (live.get(event.data.step) ?? 0) + 1);
    if (event.type === "AttemptEnded") {
      const [name = ""] = event.data.attempt.split("#");
      live.set(name, (live.get(name) ?? 0) - 1);
    }
    return [...live.values()].some((count) => count > 1)
      ? [`two live attempts of one step at ${String(event.seq)}`]
      : [];
  });
  return [
    ...twice(
      "effect settled twice",
      of(events, "EffectSettled").map((event) => event.data.key),
    ),
    ...twice(
      "effect intended twice",
      of(events, "EffectIntended").map((event) => event.data.key),
    ),
    ...twice(
      "request heard twice",
      of(events, "RequestHeard").map((event) => event.data.requestId),
    ),
    ...twice("scripted agent began twice", linesOf(join(folder, "scripted"))),
    ...overlapping,
  ];
}

function nothingChargedForOurDeath(
  events: readonly Recorded[],
  { charged, excused: allowed = [] }: Expected,
): string[] {
  const found: Record<string, number> = {};
  const excused: Record<string, number> = {};
  for (const { data } of of(events, "AttemptEnded")) {
    const [name = ""] = data.attempt.split("#");
    if (data.charged) found[name] = (found[name] ?? 0) + 1;
    else if (data.diedWith !== undefined && allowed.includes(data.diedWith))
      excused[name] = (excused[name] ?? 0) + 1;
  }
  const isRight = (name: string): boolean => {
    const [want, have] = [charged[name] ?? 0, found[name] ?? 0];
    return have <= want && have >= want - (excused[name] ?? 0);
  };
  return Object.keys({ ...charged, ...found })
    .filter((name) => !isRight(name))
    .map(
      (name) =>
        `step ${name} was charged ${String(found[name] ?? 0)} attempts, expected ${String(charged[name] ?? 0)}${endsOf(events, name)}`,
    );
}

async function chainVerifies(journal: Journal): Promise<string[]> {
  return (await journal.verify()).map((damage) => `damage: ${JSON.stringify(damage)}`);
}

/** At least once, under the id that the journal knows. */
function everyNoticeArrived(events: readonly Recorded[], folder: string): string[] {
  const file = join(folder, "notices");
  const arrived = existsSync(file) ? readFileSync(file, "utf8") : "";
  return events.flatMap((event) =>
    event.type === "NoticeQueued" && !arrived.includes(`"${event.data.notice.id}"`)
      ? [`the notice ${event.data.notice.id} never arrived`]
      : [],
  );
}

/** Nobody resumes the run where it is paused: its alarm does, once, and the agent that follows is told. */
function alarmRangOnce(events: readonly Recorded[]): string[] {
  const set = of(events, "AlarmSet");
  const rang = of(events, "AlarmRang");
  const reported = of(events, "EffectIntended").filter(
    ({ data: { effect } }) => effect.kind === "StartAgent" && effect.task.includes("rings: go on"),
  );
  const paused = of(events, "RunPaused").length;
  return [
    ...(set.length === Math.min(paused, 1)
      ? []
      : [`${String(set.length)} alarms were set, expected one per pause`]),
    ...(rang.length === set.length ? [] : [`the alarm rang ${String(rang.length)} times, expected once`]),
    ...(set.length === 0 || reported.length > 0 ? [] : ["no attempt was told what rang"]),
  ];
}
