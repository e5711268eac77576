import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { startElsewhere } from "../contract/start-elsewhere.ts";
import { inTerminals, programFile, recorded, until, type TerminalScene } from "./terminal-scene.ts";

/** By name in `family-program.mjs`: a program with a prompt is given its task once; for any other a person is asked. */
export const WITH_PROMPT = [
  ...[
    "gt",
    "dollar",
    "hash",
    "percent",
    "named",
    "colon",
    "unicode",
    "counted",
    "path",
    "boxed",
    "alternate",
  ],
  ...[
    "twoLines",
    "statusBelow",
    "rightSide",
    "coloured",
    "bells",
    "slow",
    "spinner",
    "redraws",
    "placeholder",
  ],
] as const;
export const ASKING = [
  ...["pointer", "lit", "numbered", "yesNo", "password", "more", "less", "anyKey", "buttons", "radio"],
] as const;

const SETTLE_MS = 1_500;
const TASK = "Write hello, then stop.";

interface Met {
  readonly signals: Signal[];
  readonly took: () => string[];
  readonly isBitten: () => boolean;
  readonly order: ReturnType<TerminalScene["program"]>;
}

/** Starts one of the family without a word about its prompt, and waits for its task to arrive or a person to be asked. */
async function meet(scene: TerminalScene, name: string, more: Partial<AgentSpec> = {}): Promise<Met> {
  const [file, canary] = [path.join(scene.folder, "record"), path.join(scene.folder, "canary")];
  const command = [process.execPath, programFile("family-program.mjs"), name, file, canary];
  const plain = scene.program(command, { task: TASK });
  const order = { ...plain, spec: { ...plain.spec, ...more } };
  const signals: Signal[] = [];
  assert.equal((await scene.driver.start(order)).kind, "started");
  scene.driver.listen(order, "", async (received) => void signals.push(...received.signals));
  const took = (): string[] => recorded(file);
  const met = { signals, took, isBitten: () => existsSync(canary), order };
  await until(() => took().length > 0 || isAsked(met) || met.isBitten(), `what ${name} is given`);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return met;
}

const isAsked = ({ signals }: Pick<Met, "signals">): boolean =>
  signals.some(({ kind }) => kind === "question");

export const deliversOnce = (name: string): Promise<void> =>
  inTerminals(async (scene) => {
    const { took, isBitten, order, signals } = await meet(scene, name);
    assert.deepEqual(took(), [TASK], JSON.stringify(signals));
    assert.equal(isBitten(), false);
    await scene.driver.end(order, 500);
  });

export const asksPerson = (name: string): Promise<void> =>
  inTerminals(async (scene) => {
    const met = await meet(scene, name);
    assert.equal(met.isBitten(), false, "a key was pressed in a dialog");
    assert.deepEqual(met.took(), []);
    assert.ok(isAsked(met));
    const said = await scene.driver.send(met.order, { key: "no", text: "No. Do not run it." });
    assert.equal(said.kind, "failed");
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS / 3));
    assert.equal(met.isBitten(), false, "a message was typed into a dialog");
    await scene.driver.end(met.order, 500);
  });

/** One that asks after it has its task: neither a message nor a policy of permissions chooses for it. */
export const refusesInDialog = (): Promise<void> =>
  inTerminals(async (scene) => {
    const met = await meet(scene, "asksLater");
    assert.deepEqual(met.took(), [TASK]);
    await until(() => isAsked(met), "its question");
    const said = await scene.driver.send(met.order, { key: "no", text: "No. Do not run it." });
    assert.ok(said.kind === "failed" && said.text.includes("a dialog is open"), JSON.stringify(said));
    const ask = met.signals.find((signal) => signal.kind === "question");
    assert.ok(ask?.kind === "question" && ask.text.includes("❯ Allow") && ask.text.includes("Deny"));
    const answer = { key: "yes", askId: ask.askId, allow: true };
    assert.equal((await scene.driver.answer(met.order, answer)).kind, "failed");
    assert.equal(met.isBitten(), false);
    await scene.driver.end(met.order, 500);
  });

/** One whose dialog is described: it is a request for permission, and is answered with the keys that were named. */
export const answersDescribed = (): Promise<void> =>
  inTerminals(async (scene) => {
    const dialog = [{ shows: "^Run `make`", allow: ["y"], deny: ["n"] }];
    const met = await meet(scene, "asksLater", { dialog });
    const asked = (): Signal | undefined => met.signals.find(({ kind }) => kind === "permission");
    await until(() => asked() !== undefined, "its request");
    const ask = asked();
    assert.ok(ask?.kind === "permission" && ask.what.includes("Deny"));
    // The program does not close it, so the answer is not seen to be taken; but these keys, and no others, were typed.
    await scene.driver.answer(met.order, { key: "no", askId: ask.askId, allow: false });
    assert.deepEqual(recorded(path.join(scene.folder, "canary")), ["n"]);
    await scene.driver.end(met.order, 500);
  });

/** A speaker that dies while it learns the prompt: the next one gives the task once, with nothing before it. */
export const learnsAfterDeath = (point: string): Promise<void> =>
  inTerminals(async (scene) => {
    const file = path.join(scene.folder, "record");
    const command = [process.execPath, programFile("family-program.mjs"), "gt", file, `${file}.canary`];
    const order = scene.program(command, { task: TASK });
    const killed = startElsewhere(scene, order, { HOLDFAST_CRASH_AT: `${point}#1` });
    assert.equal((await killed.outcome())?.kind, "started");
    await until(() => killed.process.exitCode !== null || killed.process.signalCode !== null, "its death");
    scene.driver.listen(order, "", () => Promise.resolve());
    await until(() => recorded(file).length > 0, "its task");
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    assert.deepEqual(recorded(file), [TASK]);
    await scene.driver.end(order, 500);
  });
