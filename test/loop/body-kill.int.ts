import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { seededChance } from "../../sim/seeded-chance.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { realWorld } from "../../src/real-world.ts";
import { runProgram } from "../kill/killed-process.ts";
import { BODY_RUN } from "./body-program.ts";

const PROGRAM = join(import.meta.dirname, "body-program.ts");
const KILLS = 30;
/** Mostly small advances, and at the sixth and seventh life the step that must happen once, before and after it. */
const pointOf = (life: number, chance: () => number): string => {
  if (life === 5) return "loop.once.before#1";
  if (life === 6) return "loop.once.after#1";
  return `journal.append.${chance() < 0.5 ? "before" : "after"}#${String(1 + Math.floor(chance() * 4))}`;
};

const linesOf = (file: string): string[] => readFileSync(file, "utf8").split("\n").filter(Boolean);

/** Steps whose end is in the journal must have been carried out once since that end was written. */
async function committedTwice(folder: string): Promise<string[]> {
  const journal = await openSqliteJournal({ file: join(folder, "agents.db"), world: realWorld() });
  const events = await journal.read(BODY_RUN, { after: 0, limit: 100_000 });
  const damages = await journal.verify();
  await journal.close();
  const keys = events.flatMap((event) => (event.type === "BodyStepEnded" ? [event.data.key] : []));
  return [
    ...keys.filter((key, index) => keys.indexOf(key) !== index),
    ...damages.map((damage) => JSON.stringify(damage)),
  ];
}

test("J5 J6 a body killed again and again at durable boundaries ends with the result of an undisturbed one", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-body-"));
  const calm = mkdtempSync(join(tmpdir(), "holdfast-body-"));
  try {
    assert.equal((await runProgram(PROGRAM, [calm])).code, 0);
    const chance = seededChance(20_261_115);
    let kills = 0;
    for (let life = 0; life < KILLS; life += 1) {
      const HOLDFAST_CRASH_AT = pointOf(life, chance);
      const ended = await runProgram(PROGRAM, [folder], { env: { HOLDFAST_CRASH_AT } });
      if (ended.signal === "SIGKILL") kills += 1;
      else assert.equal(ended.code, 0, ended.output);
    }
    const last = await runProgram(PROGRAM, [folder]);
    assert.equal(last.code, 0, last.output);
    assert.equal(readFileSync(join(folder, "result"), "utf8"), readFileSync(join(calm, "result"), "utf8"));
    assert.deepEqual(await committedTwice(folder), []);
    assert.equal(linesOf(join(folder, "posted")).length, 1, "what must happen once happened otherwise");
    const done = linesOf(join(folder, "done"));
    const twice = done.length - new Set(done).size;
    assert.ok(twice <= kills * 8, `${String(twice)} steps were carried out again for ${String(kills)} kills`);
    t.diagnostic(
      `${String(kills)} kills, ${String(done.length)} steps carried out, ${String(twice)} of them again because they were not committed`,
    );
    assert.ok(kills >= 15, `only ${String(kills)} kills struck`);
  } finally {
    for (const one of [folder, calm]) rmSync(one, { recursive: true, force: true });
  }
});
