import assert from "node:assert/strict";
import { test } from "node:test";
import { MailRound } from "../../../src/loop/life/mail-round.ts";

/** A store that counts how often it is asked, and a clock that is moved by hand. */
function round(mail: () => Promise<string[]>) {
  const timers: (() => void)[] = [];
  const found: string[][] = [];
  const failures: unknown[] = [];
  let looks = 0;
  const looking = new MailRound({
    journal: {
      addressesWithMail: () => {
        looks += 1;
        return mail();
      },
    },
    world: {
      timer: (_, fire) => {
        timers.push(fire);
        return () => timers.splice(timers.indexOf(fire), 1);
      },
    },
    found: (addresses) => found.push([...addresses]),
    failed: (error) => failures.push(error),
  });
  const rest = async (): Promise<void> => {
    for (const fire of timers.splice(0)) fire();
    await Promise.resolve();
  };
  return { looking, found, failures, timers, rest, looks: () => looks };
}

test("J5 mail is looked for at the first hint, and once more for however many come while it rests", async () => {
  let waiting = ["a"];
  const { looking, found, rest, looks } = round(() => Promise.resolve(waiting));
  looking.hint();
  await Promise.resolve();
  assert.deepEqual(found, [["a"]]);
  waiting = ["b"];
  for (let n = 0; n < 100; n += 1) looking.hint();
  assert.equal(looks(), 1);
  await rest();
  assert.deepEqual(found, [["a"], ["b"]]);
  waiting = [];
  await rest();
  looking.hint();
  await Promise.resolve();
  assert.equal(looks(), 3);
  assert.equal(found.length, 2);
});

test("J5 nobody is informed of mail, and nothing is asked, once the store is closed", async () => {
  const { looking, found, timers, looks } = round(() => Promise.resolve(["a"]));
  looking.hint();
  looking.close();
  await Promise.resolve();
  looking.hint();
  assert.deepEqual([found, timers, looks()], [[], [], 1]);
});

test("J5 a store that cannot be asked for mail is reported as such", async () => {
  const broken = new Error("the disk is gone");
  const { looking, failures } = round(() => Promise.reject(broken));
  looking.hint();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(failures, [broken]);
});
