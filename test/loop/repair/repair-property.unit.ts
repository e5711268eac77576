import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkMessages, detectShape } from "../../../src/loop/repair/check-messages.ts";
import { repairMessages } from "../../../src/loop/repair/repair-messages.ts";
import { INTERRUPTED, MESSAGE_SHAPES, type KnownResults } from "../../../src/loop/repair/repair.ts";
import { damage, damages, turns, writeHistory } from "./repair-histories.ts";

/** The journal of these tests knows every second call, by its number. */
const known: KnownResults = (id) =>
  Number(id.at(-1)) % 2 === 1 ? { result: `journal-of-${id}.` } : undefined;

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

const found = (history: unknown, pattern: RegExp): ReadonlySet<string> =>
  new Set(JSON.stringify(history).match(pattern) ?? []);

const calledIds = (history: unknown): ReadonlySet<string> =>
  new Set(
    [
      ...JSON.stringify(history).matchAll(
        /\{"type":"tool_use","id":"(c\d_\d)"|\{"id":"(c\d_\d)"|"function_call","call_id":"(c\d_\d)"|"tool-call","toolCallId":"(c\d_\d)"/g,
      ),
    ]
      .flatMap((match) => match.slice(1))
      .filter((id) => id !== undefined),
  );

for (const shape of MESSAGE_SHAPES) {
  test(`J7 ${shape}: however a history was damaged, its repair keeps the rules, the words and the results`, () => {
    fc.assert(
      fc.property(turns, damages, (conversation, all) => {
        const damaged = deepFreeze(damage(writeHistory(shape, conversation), all));
        const { messages, repairs } = repairMessages(damaged, { shape, known });
        assert.deepEqual(checkMessages(messages, shape), [], "it passes the strict checker");
        const again = repairMessages(messages, { shape, known });
        assert.deepEqual(again, { messages, repairs: [] }, "it is not repaired further");
        const words = /(ask|say)-\d\./g;
        assert.deepEqual(found(messages, words), found(damaged, words), "no words are lost");
        const results = found(messages, /(result|journal)-of-c\d_\d\./g);
        for (const id of calledIds(messages)) {
          const recorded = JSON.stringify(damaged).includes(`result-of-${id}.`);
          const answer = recorded ? `result-of-${id}.` : known(id, "", {}) ? `journal-of-${id}.` : undefined;
          if (answer !== undefined) assert.ok(results.has(answer), `${id} has its result`);
        }
        for (const id of calledIds(messages)) assert.ok(calledIds(damaged).has(id), "no call is invented");
        if (checkMessages(damaged, shape).length > 0) assert.ok(repairs.length > 0, "what was done is named");
      }),
      { numRuns: 400 },
    );
  });

  test(`J7 ${shape}: call ids that come again in later turns are kept apart`, () => {
    fc.assert(
      fc.property(turns, damages, (conversation, all) => {
        const reused = conversation.map((turn) => ({
          ...turn,
          calls: turn.calls.map((call, index) => ({ ...call, id: `c${String(index % 2)}` })),
        }));
        const damaged = deepFreeze(damage(writeHistory(shape, reused), all));
        const { messages } = repairMessages(damaged, { shape });
        assert.deepEqual(checkMessages(messages, shape), []);
        assert.deepEqual(repairMessages(messages, { shape }), { messages, repairs: [] });
        const words = /(ask|say)-\d\./g;
        assert.deepEqual(found(messages, words), found(damaged, words));
      }),
      { numRuns: 300 },
    );
  });

  test(`J7 ${shape}: a history that was cut and nothing else only gains answers`, () => {
    fc.assert(
      fc.property(turns, fc.nat(30), (conversation, at) => {
        const whole = repairMessages(writeHistory(shape, conversation), { shape }).messages;
        const cut = whole.slice(0, 1 + (at % whole.length));
        const { messages, repairs } = repairMessages(cut, { shape });
        const kinds = new Set(repairs.map((repair) => repair.kind));
        kinds.delete("marked-interrupted");
        // Reasoning is an item of its own in this shape, so a cut may leave it without what it led to.
        if (shape === "openai-responses") kinds.delete("unfinished-reasoning-removed");
        assert.deepEqual([...kinds], []);
        const marks = JSON.stringify(messages).split(INTERRUPTED).length - 1;
        assert.equal(marks, repairs.filter((repair) => repair.kind === "marked-interrupted").length);
      }),
      { numRuns: 200 },
    );
  });

  test(`J7 ${shape}: a whole history with calls is reported by itself`, () => {
    fc.assert(
      fc.property(turns, (conversation) => {
        fc.pre(conversation.some((turn) => turn.calls.length > 0));
        assert.equal(detectShape(writeHistory(shape, conversation)), shape);
      }),
      { numRuns: 100 },
    );
  });
}
