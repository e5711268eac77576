import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Journal } from "../../src/journal/journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { Run } from "../../src/loop/workflow-function.ts";
import { Holdfast } from "../../src/loop/holdfast.ts";
import { isFault } from "../../src/model/fault.ts";
import { openHoldfast } from "../../src/open-holdfast.ts";
import { realWorld } from "../../src/real-world.ts";
import { Leases } from "../../src/runtime/leases.ts";

const LARGE = "x".repeat(100_000);

interface Opened {
  readonly hf: Holdfast;
  readonly journal: Journal;
  /** The digests of large values that were read one by one. */
  readonly asked: string[];
}

async function withFile(work: (open: () => Promise<Opened>, file: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-large-"));
  const file = join(folder, "agents.db");
  const opened: Holdfast[] = [];
  try {
    await work(async () => {
      const world = realWorld();
      const journal = await openSqliteJournal({ file, world });
      const asked: string[] = [];
      const readApart = journal.readApart.bind(journal);
      journal.readApart = (event, digests) => {
        asked.push(...digests);
        return readApart(event, digests);
      };
      const leases = new Leases(journal, world, 15_000);
      const hf = new Holdfast({
        journal,
        world,
        leases,
        leaseMs: 15_000,
        limits: {},
        close: () => journal.close(),
      });
      opened.push(hf);
      return { hf, journal, asked };
    }, file);
  } finally {
    for (const hf of opened) await hf.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Stops after its large results until it may go on. */
const bodyOf =
  (reached: () => void, mayEnd: () => boolean) =>
  async (run: Run, input: unknown): Promise<unknown> => {
    const first = await run.step("first", () => ({ text: `1${LARGE}`, n: 1 }));
    const child = await run.spawn(
      "child",
      async (inner) => `${await inner.step("inside", () => `2${LARGE}`)}!`,
      null,
    );
    const looped = await run.loop("kernel", { pages: [] as string[] }, async (state, i, it) => {
      const page = await it.step("page", () => `${String(i)}${LARGE}`);
      return { state: { pages: [...state.pages, page].slice(-2) }, done: i === 3 };
    });
    reached();
    if (!mayEnd()) await run.waitFor("go");
    return [input, first, child, looped];
  };

test("J5 large results, states and inputs come back as they were, each read only when it is asked for", () =>
  withFile(async (open) => {
    const input = { document: `i${LARGE}` };
    const before = await open();
    let ready = (): void => undefined;
    const atEnd = new Promise<void>((resolve) => (ready = resolve));
    const pending = before.hf.run(
      "r",
      bodyOf(
        () => ready(),
        () => false,
      ),
      { input },
    );
    pending.catch(() => undefined);
    await atEnd;
    await before.hf.close();

    const { hf, journal, asked } = await open();
    await hf.signal("r", "go", null);
    const read: unknown[] = [];
    const readEvents = journal.read.bind(journal);
    journal.read = async (run, page) => {
      const events = await readEvents(run, page);
      read.push(...events);
      return events;
    };
    const result = await hf.run(
      "r",
      bodyOf(
        () => undefined,
        () => false,
      ),
    );
    assert.deepEqual(result, [
      input,
      { text: `1${LARGE}`, n: 1 },
      `2${LARGE}!`,
      { pages: [`2${LARGE}`, `3${LARGE}`] },
    ]);
    assert.equal(asked.length, 2, "the step and the child; not what is inside the child and the iterations");
    const steps = read.filter((event) => JSON.stringify(event).length > 50_000).length;
    assert.ok(
      steps <= 1 + 4,
      `${String(steps)} events were read with large values: the input and four states`,
    );
    assert.deepEqual(await journal.verify(), []);
    assert.deepEqual(await hf.run("r", () => "not run again"), result);
  }));

test("J5 the same large text costs its bytes once, in results and in states", () =>
  withFile(async (open, file) => {
    const { hf } = await open();
    for (const id of ["a", "b", "c"])
      await hf.run(id, async (run) => {
        const text = await run.step("read", () => LARGE);
        return run.loop("kernel", { messages: [] as object[] }, (state, i) => ({
          state: { messages: [...state.messages, { role: "tool", content: text }] },
          done: i === 9,
        }));
      });
    const db = new DatabaseSync(file);
    const total = db.prepare("SELECT sum(length(data)) AS events FROM events").get();
    const blobs = db.prepare("SELECT count(*) AS n, sum(length(content)) AS chars FROM blobs").get();
    db.close();
    assert.ok(Number(total?.["events"]) < 20_000, JSON.stringify(total));
    assert.deepEqual({ ...blobs }, { n: 1, chars: LARGE.length + 2 });
  }));

test("J5 damage of a large result is reported as damage at its event when the workflow function asks for it", () =>
  withFile(async (open, file) => {
    const before = await open();
    let ready = (): void => undefined;
    const atEnd = new Promise<void>((resolve) => (ready = resolve));
    const workflow = async (run: Run): Promise<string> => {
      const text = await run.step("read", () => LARGE);
      ready();
      await run.waitFor("never");
      return text;
    };
    before.hf.run("r", workflow).catch(() => undefined);
    await atEnd;
    await before.hf.close();
    const db = new DatabaseSync(file);
    db.exec(`UPDATE blobs SET content = '"${"y".repeat(100_000)}"'`);
    db.close();
    const { hf, journal } = await open();
    await assert.rejects(
      hf.run("r", workflow),
      (error) =>
        isFault(error, "journal_damaged") &&
        error.details["seq"] === 4 &&
        error.message.includes("does not match its digest"),
    );
    assert.deepEqual(
      (await journal.verify()).map(({ run, seq }) => [run, seq]),
      [["r", 4]],
    );
  }));

test("P4 the bound of large values may be set, and a bound that is none is refused", async () => {
  for (const largeChars of [0, 10, 1.5, Number.NaN])
    await assert.rejects(
      openHoldfast({ store: "memory:", largeChars }),
      (error) => isFault(error, "usage") && /expected a whole number.*at least 1024/.test(error.message),
    );
  const hf = await openHoldfast({ store: "memory:", largeChars: 2_000 });
  assert.equal(await hf.run("r", (run) => run.step("s", () => LARGE)), LARGE);
  await hf.close();
});

test("P4 a file that is no store, or one of a newer version, is refused with what to do, and left as it is", () =>
  withFile(async (open, file) => {
    await (await open()).hf.close();
    const refused = (store: string, code: string, part: RegExp) =>
      assert.rejects(
        openHoldfast({ store: `sqlite:${store}` }),
        (error) => isFault(error) && error.code === code && part.test(error.message),
      );
    const db = new DatabaseSync(file);
    db.exec("PRAGMA user_version = 99");
    db.close();
    await refused(
      file,
      "store_version",
      /version 99.*open it with the Holdfast that wrote it or a newer one/,
    );
    await refused(import.meta.filename, "store_foreign", /not touched|nothing was (touched|changed)/);
  }));

test("J5 a history is repaired with a large result of a tool from the journal", () =>
  withFile(async (open) => {
    const before = await open();
    let ready = (): void => undefined;
    const atEnd = new Promise<void>((resolve) => (ready = resolve));
    const asked = {
      role: "assistant",
      content: [{ type: "tool_use", id: "call_1", name: "read", input: {} }],
    };
    const workflow = async (run: Run): Promise<unknown> => {
      const { messages } = run.repair([{ role: "user", content: "read it" }, asked], { shape: "anthropic" });
      await run.step("tool/call_1", () => LARGE);
      ready();
      await run.waitFor("go");
      return JSON.stringify(messages).includes(LARGE);
    };
    before.hf.run("r", workflow).catch(() => undefined);
    await atEnd;
    await before.hf.close();
    const { hf } = await open();
    await hf.signal("r", "go", null);
    assert.equal(await hf.run("r", workflow), true);
  }));
