import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { Terminal } from "../first-hour/terminal.ts";

/** `init` as a person meets it: in a shell, in a real terminal. */
const LAUNCHER = path.resolve(import.meta.dirname, "../../../bin/holdfast.js");
const root = mkdtempSync(path.join(tmpdir(), "holdfast-init-"));
const work = path.join(root, "work");
const file = path.join(work, "holdfast.yaml");
const init = `${process.execPath} ${LAUNCHER} init`;
let terminal: Terminal;

before(async () => {
  mkdirSync(work);
  writeFileSync(path.join(work, "package.json"), '{ "scripts": { "test": "node test.js" } }');
  terminal = await Terminal.open(root, work, {
    HOME: path.join(root, "home"),
    HOLDFAST_HOME: path.join(root, "state"),
    PATH: "/usr/bin:/bin",
    TERM: "screen-256color",
    LANG: "C.UTF-8",
  });
});
after(() => {
  terminal.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

const QUESTIONS = [
  /at the end of each run\? \[npm test\]/,
  /in dollars\? \[none\]/,
  /are asked\? \[3\]/,
  /completed\? \[no\]/,
];

async function answer(question: RegExp, text: string): Promise<void> {
  await terminal.shows(question);
  if (text !== "") await terminal.types(text);
  await terminal.keys("Enter");
}

test("O1 init asks at most five questions on a terminal, and Enter keeps what is right for most", async () => {
  await terminal.begins(init);
  for (const question of QUESTIONS) await answer(question, "");
  const { text, code } = await terminal.ends();
  assert.equal(code, 0, text);
  assert.equal(text.match(/\? \[/g)?.length, QUESTIONS.length);
  const written = readFileSync(file, "utf8");
  assert.ok(written.split("\n").length <= 40, "a screen of text");
  assert.match(written, /^reality:\n {2}checks: \["npm test"\]/m);
  assert.match(written, /^# budget:\n# {3}usd: 5/m);
  assert.equal((await terminal.does(`${process.execPath} ${LAUNCHER} validate holdfast.yaml`)).code, 0);
  rmSync(file);
});

test("O1 P4 what is answered is written, and a wrong answer is asked for again", async () => {
  await terminal.begins(init);
  await answer(QUESTIONS[0] ?? /$/, "none");
  await answer(QUESTIONS[1] ?? /$/, "much");
  await terminal.shows(/expected dollars such as 5 or 2\.50, or none/);
  await terminal.types("2.50");
  await terminal.keys("Enter");
  await answer(QUESTIONS[2] ?? /$/, "5");
  await answer(QUESTIONS[3] ?? /$/, "yes");
  const { text, code } = await terminal.ends();
  assert.equal(code, 0, text);
  const written = readFileSync(file, "utf8");
  assert.match(written, /^budget:\n {2}usd: 2\.5 /m);
  assert.match(written, /^attempts:\n {2}perStep: 5 /m);
  assert.match(written, /^approve:\n {2}completion: true /m);
  assert.match(written, /^# {3}checks: \["npm test"\]/m);
  assert.equal((await terminal.does(`${process.execPath} ${LAUNCHER} validate holdfast.yaml`)).code, 0);
  rmSync(file);
});

test("O1 P4 Ctrl-C and Ctrl-D at a question leave everything as it was", async () => {
  const kept = (): string[] => readdirSync(path.join(root, "state"), { recursive: true, encoding: "utf8" });
  const before = kept();
  for (const key of ["C-c", "C-d"]) {
    await terminal.begins(init);
    await answer(QUESTIONS[0] ?? /$/, "");
    await terminal.shows(QUESTIONS[1] ?? /$/);
    await terminal.keys(key);
    const { text, code } = await terminal.ends();
    assert.equal(code, 130, text);
    assert.match(text, /nothing was written/);
    assert.deepEqual(readdirSync(work), ["package.json"]);
    assert.deepEqual(kept(), before, "nothing was trusted");
  }
});
