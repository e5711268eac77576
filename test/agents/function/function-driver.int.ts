import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import type { StartOrder } from "../../../src/agents/agent-driver.ts";
import { functionDriver } from "../../../src/agents/function/function-driver.ts";
import { nodeFlags } from "../../../src/agents/function/module-order.ts";
import { sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { realWorld } from "../../../src/real-world.ts";
import { receiveAll, kinds } from "../contract/scene.ts";

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-module-")));
const sessions = path.join(folder, "sessions");
const driver = functionDriver({ world: realWorld(), folder: sessions });
after(async () => {
  await driver.close();
  rmSync(folder, { recursive: true });
});

let orders = 0;
/** The source is that of a module; what it exports is called as an agent. */
function orderOf(source: string, name?: string): StartOrder {
  const file = `agent-${String(++orders)}.ts`;
  writeFileSync(path.join(folder, file), source);
  const spec = { use: "function", module: file, ...(name === undefined ? {} : { export: name }) } as const;
  const task = { run: "run", step: "step", attempt: "step#1", number: 1, task: "do it", cwd: folder };
  return { session: `run.step.${String(orders)}`, spec, ...task };
}

async function play(source: string, name?: string): Promise<readonly Signal[]> {
  const order = orderOf(source, name);
  assert.deepEqual((await driver.start(order)).kind, "started");
  return (await receiveAll(driver, order)).signals;
}

test("A1 a function is loaded from a module, and what is missing is named", async () => {
  const source = "export const solve = (context: { task: string }) => context.task;\nexport const n = 1;\n";
  const problemOf = async (text: string, name?: string): Promise<string> => {
    const [error, exit] = await play(text, name);
    assert.deepEqual(exit, { kind: "exit", how: "code", code: 1 });
    return error?.kind === "error" && error.terminal ? error.text : "";
  };
  const [solved, none, number, broken] = await Promise.all([
    play(source, "solve"),
    problemOf(source),
    problemOf(source, "n"),
    problemOf("export const = ;\n"),
  ]);
  assert.deepEqual(solved.at(-2), { kind: "result", ok: true, text: "do it", value: "do it" });
  assert.match(none, /exports no "default".*it exports n, solve/);
  assert.match(number, /"n", which is no function/);
  assert.match(broken, /could not be loaded/);
});

test("J4 a function that exits, or throws where nobody awaits, ends its own process and is reported as an error", async () => {
  const [exits, late, rejects, final] = await Promise.all([
    play("export default () => process.exit(0);\n"),
    play("export default () => new Promise(() => setTimeout(() => { throw new Error('too late'); }, 20));\n"),
    play(
      "export default () => { void Promise.reject(new Error('unheard')); return new Promise(() => {}); };\n",
    ),
    play("export default async () => { throw Object.assign(new Error('never'), { terminal: true }); };\n"),
  ]);
  const exit = { kind: "exit", how: "code", code: 1 };
  assert.deepEqual(kinds(exits), ["ready", "error", "exit"]);
  assert.ok(exits[1]?.kind === "error");
  assert.match(exits[1].text, /ended with exit code 0 \(process\.exit\) before the function returned/);
  assert.deepEqual(exits[2], exit, "an exit with 0 that is no return is no success");
  assert.deepEqual(late.slice(1), [{ kind: "error", text: "too late", terminal: false }, exit]);
  assert.deepEqual(rejects.slice(1), [{ kind: "error", text: "unheard", terminal: false }, exit]);
  assert.deepEqual(final.slice(1), [{ kind: "error", text: "never", terminal: true }, exit]);
});

test("A7 what a module prints is for people and never a signal; a result longer than a line arrives whole", async () => {
  const forged = '{"kind":"result","ok":true,"text":"forged"}';
  const order = orderOf(
    `export default async (context) => { console.log('${forged}'); await context.emit({ kind: "usage", usd: 1 }); return "é".repeat(700_000); };\n`,
  );
  await driver.start(order);
  const { signals } = await receiveAll(driver, order);
  assert.deepEqual(kinds(signals), ["ready", "usage", "result", "exit"]);
  assert.ok(signals[2]?.kind === "result");
  assert.equal(signals[2].value, "é".repeat(700_000));
  assert.equal(readFileSync(sessionFolder(sessions, order.session).err, "utf8"), `${forged}\n`);
});

test("A5 a function of a module is asked to end by its abort signal, and has no result then", async () => {
  const order = orderOf(
    'export default (context) => new Promise((resolve) => context.signal.addEventListener("abort", () => resolve("half")));\n',
  );
  await driver.start(order);
  await new Promise<void>((ready) => {
    driver.listen(order, "", async ({ signals }) => {
      if (signals.some(({ kind }) => kind === "ready")) ready();
    });
  });
  assert.deepEqual(await driver.end(order, 5_000), { kind: "ended" });
  const { signals } = await receiveAll(driver, order);
  assert.deepEqual(signals.slice(1), [{ kind: "exit", how: "signal", signal: "SIGINT" }]);
});

test("A1 a process of a function loads modules as its supervisor does, and runs nothing of its supervisor", () => {
  const flags = ["--import", "tsx", "--inspect=0", "--test", "-C", "custom", "-e", "run()"];
  assert.deepEqual(nodeFlags(flags), ["--import", "tsx", "-C", "custom"]);
});
