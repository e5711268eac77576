import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeStored } from "../../src/journal/chain.ts";
import { memoryDisk } from "../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../src/journal/memory/memory-journal.ts";
import { EVENT_TYPES, type EventType, type Recorded, type RunEvent } from "../../src/model/events/events.ts";
import { isoTime } from "../../src/model/text/iso-time.ts";
import { EVENT_KINDS } from "../../src/views/text/event-kinds.ts";
import { reportOf } from "../../src/views/report/report.ts";
import { describeEvent } from "../../src/views/text/describe-event.ts";
import { causesOf } from "../../src/views/why/why-causes.ts";
import { WhyJournal } from "../../src/views/why/why-journal.ts";
import { headIn, order, owner, quietWorld } from "../journal/contract/scene.ts";
import { exportText, opened } from "../journal/exported.ts";
import { EXAMPLES } from "../model/example-events.ts";
import { BEFORE, eventOf, LED_TO } from "./audit-stories.ts";

const recorded = (events: readonly RunEvent[]): Recorded[] =>
  events.map((event, index) => ({ ...event, run: "run_1", seq: index + 1, at: index * 1_000, hash: "" }));

const isOfProgram = (type: EventType): boolean => type.startsWith("Body");

/** A journal in which an event of the type comes last, behind what leads to it. */
function storyOf(type: EventType): Recorded[] {
  const reported = LED_TO[type];
  const before = reported?.from ?? (isOfProgram(type) ? BEFORE.body : BEFORE.agents);
  return recorded([...before, ...(reported?.story ?? []), eventOf(type)]);
}

/** The same event, done by somebody with a name. */
function byAda({ type, data }: RunEvent): RunEvent | null {
  if (type === "AlarmSet") return { type, data: { alarm: { ...data.alarm, by: "ada" } } };
  return "by" in data ? ({ type, data: { ...data, by: "ada" } } as RunEvent) : null;
}

for (const type of EVENT_TYPES) {
  const [event] = recorded([{ type, data: EXAMPLES[type] } as RunEvent]);
  assert.ok(event !== undefined);

  test(`G13 ${type} is described in plain words, with who did it`, () => {
    const text = describeEvent(event);
    assert.match(text, /[a-z]{3}/);
    assert.doesNotMatch(text, /undefined|\[object|NaN|\n/);
    const named = byAda(event);
    if (named === null) return;
    const [theirs] = recorded([named]);
    assert.match(describeEvent(theirs ?? event), /\bada\b/, "it does not say who");
  });

  if (EVENT_KINDS[type] === "decision" || EVENT_KINDS[type] === "intent")
    test(`G13 from ${type} why leads to what it was decided for`, () => {
      const events = storyOf(type);
      const last = events.at(-1);
      assert.ok(last?.type === type);
      const causes = causesOf(last, new WhyJournal(events));
      for (const { seq } of causes) assert.ok(seq < last.seq);
      assert.deepEqual(
        causes.map((cause) => cause.type).toSorted(),
        [...(LED_TO[type]?.because ?? [])].toSorted(),
      );
    });
}

/** Told in tables of their own, or too small to be told one by one. */
const ELSEWHERE: readonly EventType[] = ["EffectIntended"];

for (const type of EVENT_TYPES.filter((one) => !["observation", "shared"].includes(EVENT_KINDS[one])))
  if (!ELSEWHERE.includes(type))
    test(`G13 a report carries ${type}`, () => {
      const events = storyOf(type);
      const last = events.at(-1);
      assert.ok(last !== undefined);
      const rows = reportOf(events, null).parts.flatMap(({ table }) => table?.rows ?? []);
      const own = rows.filter((row) => row[0] === String(last.seq));
      assert.ok(
        own.some((row) => row.includes(isoTime(last.at)) && row.at(-1) === describeEvent(last)),
        `${type} is in no table of the report`,
      );
    });

test("G13 a report says of a turn whose it was and what it follows from", () => {
  const events = storyOf("GateApproved");
  const turns = reportOf(events, null).parts.find(({ title }) => title === "Turns");
  const row = turns?.table?.rows.at(-1);
  assert.deepEqual(turns?.table?.head, ["event", "when", "who", "because of", "what"]);
  assert.deepEqual([row?.[0], row?.[2], row?.[3]], ["6", "anna", "4, 5"]);
});

test("G13 J9 an export carries every event as it was recorded: who, what, when and why", async () => {
  const journal = memoryJournal({ world: quietWorld(), disk: memoryDisk() });
  await journal.claim("run_a", owner("own_a"));
  const events = EVENT_TYPES.map((type) => eventOf(type));
  headIn(await journal.append(order("run_a", 0, { events })));
  const read: RunEvent[] = [];
  for await (const event of (await opened(await exportText(journal))).events) {
    const { type, data, at } = decodeStored(event);
    read.push({ type, data } as RunEvent);
    assert.equal(at, 1_000);
  }
  assert.deepEqual(read, events);
});
