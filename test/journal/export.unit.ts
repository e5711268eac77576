import assert from "node:assert/strict";
import { test } from "node:test";
import { GENESIS, chainHash, type StoredEvent } from "../../src/journal/chain.ts";
import { isFault, type Fault } from "../../src/model/fault.ts";
import { textLines } from "../../src/journal/export-header.ts";
import { order } from "./contract/scene.ts";
import { countEvents, exportText, inPieces, journalSaying, opened, respell } from "./exported.ts";

const STRANGE = [
  "plain",
  "é 🦀 שלום \u2028\u009b31m",
  "zero \0 half \ud800 \r\n tab\t",
  '"quoted" \\ </script>',
];

async function faultOf(content: string | Uint8Array, size?: number): Promise<Fault> {
  try {
    await countEvents(content, size);
  } catch (error) {
    assert.ok(isFault(error), String(error));
    return error;
  }
  assert.fail("nothing was found");
}

test("J9 an export holds every event with the exact text that its hash covers, and verifies without the store", async () => {
  const { journal } = await journalSaying(STRANGE);
  const text = await exportText(journal);
  const lines = text.trimEnd().split("\n");
  assert.equal(lines.length, STRANGE.length + 2);
  let previous = GENESIS;
  for (const line of lines.slice(1, -1)) {
    const { run, seq, at, type, data, hash } = JSON.parse(line) as StoredEvent;
    previous = chainHash(previous, { run, seq, at, type, data: JSON.stringify(data) });
    assert.equal(hash, previous, "a reader that knows only JSON and SHA-256 comes to the same hash");
  }
  // eslint-disable-next-line no-control-regex -- what a terminal would act on is what this is about
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]/);
  for (const size of [1, 7, 65_536]) assert.equal(await countEvents(text, size), STRANGE.length);
  const { header } = await opened(text);
  assert.deepEqual(header.head, { seq: STRANGE.length, hash: previous });
  assert.equal(await countEvents(text.replaceAll("\n", "\r\n")), STRANGE.length);
  assert.equal(await countEvents(text.trimEnd()), STRANGE.length);
});

test("J9 text that JSON.stringify wrote is given back by parsing and writing it again, no matter what it holds", () => {
  const values: unknown[] = [
    { 2: "b", 1: "a", z: 1, a: 2, "": 0, ["__proto__"]: 1, "\ud800": "\udc00" },
    [1e21, 1e-7, -0, 0.1, 5e-324, Number.MAX_VALUE, 2 ** 53, NaN, Infinity, undefined],
    { nested: [[[{}]], [], null, true] },
    new Date(0),
  ];
  for (const value of values) {
    const text = JSON.stringify(value);
    assert.equal(JSON.stringify(JSON.parse(text)), text);
  }
});

test("J9 stored text of another spelling is carried as it is, and must agree with what is shown", async () => {
  const { journal, disk } = await journalSaying(["one", "two"]);
  const spelt = '{ "what": "said",\n"bound": 1.0, "detail": "\\u0041" }';
  respell(disk, "run_a", [spelt]);
  const text = await exportText(journal);
  assert.equal(await countEvents(text), 2);
  const [, line = ""] = text.split("\n");
  assert.equal((JSON.parse(line) as { text: string }).text, spelt);
  const shown = text.replace('"detail": "\\u0041" }', '"detail": "B" }');
  assert.notEqual(shown, text);
  assert.match((await faultOf(shown)).message, /line 2, event 1: its text is not that of its data/);
});

test("J9 a byte changed anywhere in an export is found, with line and event, or changes nothing that is said", async () => {
  const { journal } = await journalSaying(["one", "two"]);
  const bytes = Buffer.from(await exportText(journal));
  const before = await said(bytes);
  let harmless = 0;
  for (let offset = 0; offset < bytes.length; offset += 1) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(offset) ^ 0x01, offset);
    try {
      const after = await said(changed);
      // Only the time of the export is under no hash.
      assert.deepEqual(after.events, before.events, `byte ${String(offset)}`);
      assert.deepEqual({ ...after.header, exportedAt: "" }, { ...before.header, exportedAt: "" });
      harmless += 1;
    } catch (error) {
      if (!isFault(error)) throw error;
      assert.ok(["journal_damaged", "usage", "store_version"].includes(error.code), error.message);
      if (error.code === "journal_damaged") assert.equal(typeof error.details["line"], "number");
    }
  }
  assert.ok(harmless < 40, `${String(harmless)} changes were not noticed`);
});

async function said(bytes: Uint8Array) {
  const { header, events } = await opened(bytes);
  const all: unknown[] = [];
  for await (const event of events) all.push(event);
  return { header, events: all };
}

test("J9 P4 an export cut anywhere is said to be cut short, or to be no export", async () => {
  const { journal } = await journalSaying(["one", "two", "three"]);
  const bytes = Buffer.from(await exportText(journal));
  const headerEnd = bytes.indexOf("\n");
  for (let length = 0; length < bytes.length - 1; length += 1) {
    const { code, message } = await faultOf(bytes.subarray(0, length));
    assert.match(message, length < headerEnd ? /not an exported run/ : /cut short after event \d of 3/);
    assert.equal(code, length < headerEnd ? "usage" : "journal_damaged");
  }
});

test("J9 lines left out, doubled, exchanged, added or of another run are named by line and event", async () => {
  const { journal } = await journalSaying(["one", "two", "three"]);
  const lines = (await exportText(journal)).trimEnd().split("\n");
  const [header = "", one = "", two = "", three = "", closing = ""] = lines;
  const cases: [string[], RegExp][] = [
    [[header, one, three, closing], /line 3, event 2: event 2 is missing/],
    [[header, three, closing], /line 2, event 1: events 1 to 2 are missing/],
    [[header, one, one, two, three, closing], /line 3, event 2: event 1 stands where event 2/],
    [[header, two, one, three, closing], /line 2, event 1: event 1 is missing/],
    [[header, one, two, closing], /line 4, event 3: the events end at 2 of 3/],
    [[...lines, one], /line 6: something follows the closing line/],
    [[header, one, two, three, three, closing], /line 5, event 4: it follows event 3/],
    [[header, one, "", two, three, closing], /line 3, event 2: the line is no JSON object/],
    [[header, one, "[]", two, three, closing], /line 3, event 2: the line is no JSON object/],
    [
      [header, one.replaceAll("run_a", "run_b"), two, three, closing],
      /line 2, event 1: it belongs to another run/,
    ],
    [[header, one.replace('"at":', '"extra":1,"at":'), two, three, closing], /it holds "extra"/],
    [[header, one, two, three, closing.replace('"seq":3', '"seq":2')], /the closing line does not say/],
    [[header.replace(/"hash":"./, '"hash":"g'), one, two, three, closing], /line 1, its header/],
    [[header.replace('"version":2', '"version":3'), one], /version 3 of the format/],
    [
      [header, `${one.slice(0, -1)},"data":${"[".repeat(200_000)}${"]".repeat(200_000)}}`],
      /nested too deeply/,
    ],
  ];
  for (const [changed, expected] of cases)
    assert.match((await faultOf(`${changed.join("\n")}\n`)).message, expected);
});

test("P4 what is no export is reported as what it is", async () => {
  const cases: [string | Uint8Array, RegExp][] = [
    ["", /it\.jsonl is not an exported run: it is empty; expected a file that `holdfast export/],
    ["hello\nworld\n", /its first line is "hello"/],
    ["\n", /its first line is ""/],
    ['{"format":"else"}\n', /its first line is "\{\\"format/],
    ['{"run":"r","seq":1,"hash":"x"}\n', /begins with an event/],
    [Buffer.from([0xff, 0xfe, 0x00, 0x0a]), /not a text file/],
    ["null\n", /its first line is "null"/],
  ];
  for (const [content, expected] of cases) {
    const fault = await faultOf(content);
    assert.equal(fault.code, "usage");
    assert.match(fault.message, expected);
  }
});

test("P4 a line without an end is given up at its bound, and no more of it is read", async () => {
  let read = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      read += 1_024;
      yield Buffer.alloc(1_024, 0x61);
    }
  }
  const kinds: string[] = [];
  for await (const line of textLines(endless(), 10_000)) kinds.push(line.kind);
  assert.deepEqual(kinds, ["too long"]);
  assert.ok(read < 12_000);
  const lines: unknown[] = [];
  for await (const line of textLines(inPieces(Buffer.from("ab\n\ncd"), 2), 10)) lines.push(line);
  assert.deepEqual(lines, [
    { kind: "text", text: "ab", ended: true },
    { kind: "text", text: "", ended: true },
    { kind: "text", text: "cd", ended: false },
  ]);
});

test("J9 an export stops at the head it was asked for, however the run goes on, and reads in pages", async () => {
  const { journal } = await journalSaying(Array.from({ length: 1_001 }, (_, index) => String(index)));
  const pages: number[] = [];
  const readStored = journal.readStored.bind(journal);
  journal.readStored = async (run, page) => {
    assert.equal((await journal.append(order(run, 1_001 + pages.length))).kind, "appended");
    const events = await readStored(run, page);
    pages.push(events.length);
    return events;
  };
  assert.equal(await countEvents(await exportText(journal)), 1_001);
  assert.ok(Math.max(...pages) <= 200 && pages.length >= 6, pages.join(" "));
});

test("J9 an export carries each large value once, and a missing or changed one is found without the store", async () => {
  const text = `large ${"x".repeat(70_000)}`;
  const { journal } = await journalSaying(["one", text, "two", text]);
  const lines = (await exportText(journal)).trimEnd().split("\n");
  assert.equal(lines.length, 1 + 4 + 1 + 1);
  assert.equal(lines.filter((line) => line.length > 60_000).length, 1);
  assert.ok(lines[2]?.startsWith('{"blob":"'));
  const whole = `${lines.join("\n")}\n`;
  assert.equal(await countEvents(whole), 4);
  const reported: unknown[] = [];
  for await (const { data } of (await opened(whole)).recorded()) reported.push(Reflect.get(data, "detail"));
  assert.deepEqual(reported, ["one", text, "two", text]);
  const damaged = (changed: readonly string[], seq: number, what: RegExp) =>
    assert.rejects(
      countEvents(`${changed.join("\n")}\n`),
      (error) =>
        isFault(error, "journal_damaged") && error.details["seq"] === seq && what.test(error.message),
    );
  await damaged(lines.toSpliced(2, 1), 2, /large value [0-9a-f]{64} that it names is missing/);
  await damaged(lines.with(2, (lines[2] ?? "").replace("xxx", "xyx")), 2, /does not match its digest/);
  await damaged(lines.with(2, '{"blob":"00"}'), 2, /digest or text is missing/);
});
