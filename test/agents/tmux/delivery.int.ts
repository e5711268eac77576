import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { agentsTier } from "../agents-tier.ts";
import { noTmux } from "../contract/tmux-subject.ts";
import { startElsewhere } from "../contract/start-elsewhere.ts";
import { deliverTexts, messagesOf } from "./deliveries.ts";
import { inTerminals, programFile, recorded, until, type TerminalScene } from "./terminal-scene.ts";

const ENTER = "\r";
const like = (scene: TerminalScene, way: string) =>
  scene.program([process.execPath, programFile("claude.mjs"), path.join(scene.folder, "keys"), way]);
const keysOf = (scene: TerminalScene): string[] => recorded(path.join(scene.folder, "keys"));

test(
  "A8 random texts of every kind arrive exactly, each once, and nothing in them is executed",
  { skip: noTmux },
  () => deliverTexts(agentsTier === false ? 60 : 20),
);

test(
  "A8 A9 nothing is typed into a dialog; the dialog is reported, and answered by its own keys once",
  { skip: noTmux },
  () =>
    inTerminals(async (scene) => {
      const order = like(scene, "asks");
      await scene.driver.start(order);
      const asked = new Promise<string>((resolve) => {
        scene.driver.listen(order, "", async ({ signals }) => {
          for (const signal of signals) if (signal.kind === "permission") resolve(signal.askId);
        });
      });
      const askId = await asked;
      const refused = await scene.driver.send(order, { key: "k1", text: "1" });
      assert.ok(refused.kind === "failed" && /a dialog is open: .*touch x/s.test(refused.text));
      assert.deepEqual(keysOf(scene), []);
      const wrong = await scene.driver.answer(order, { key: "k2", askId: "another", allow: true });
      assert.ok(wrong.kind === "failed" && /not open any more/.test(wrong.text));
      assert.deepEqual(keysOf(scene), []);
      for (let again = 0; again < 2; again += 1)
        assert.equal((await scene.driver.answer(order, { key: "k3", askId, allow: false })).kind, "sent");
      assert.equal(keysOf(scene)[0], "2");
      assert.equal(keysOf(scene).filter((key) => key === "2").length, 1);
      await scene.driver.end(order, 500);
    }),
);

test(
  "A8 an Enter that was swallowed is pressed once more, and the text is typed once",
  { skip: noTmux },
  () =>
    inTerminals(async (scene) => {
      const order = like(scene, "swallows");
      await scene.driver.start(order);
      await until(() => keysOf(scene).filter((key) => key === ENTER).length === 2, "two Enters");
      assert.equal(keysOf(scene).filter((key) => key.includes("the task")).length, 1);
      await scene.driver.end(order, 500);
    }),
);

test("A8 Enter is not pressed when a dialog opens after the text was typed", { skip: noTmux }, () =>
  inTerminals(async (scene) => {
    const order = like(scene, "late");
    await scene.driver.start(order);
    const asked = new Promise<void>((resolve) => {
      scene.driver.listen(order, "", async ({ signals }) => {
        if (signals.some(({ kind }) => kind === "permission")) resolve();
      });
    });
    await asked;
    assert.deepEqual(
      keysOf(scene).filter((key) => key === ENTER),
      [],
    );
    await scene.driver.end(order, 500);
  }),
);

test(
  "A8 an agent at work receives it where it queues words, and is interrupted by its own key",
  { skip: noTmux },
  () =>
    inTerminals(async (scene) => {
      const order = like(scene, "works");
      await scene.driver.start(order);
      await until(async () => (await scene.screen(order.session)).includes("esc to interrupt"), "its work");
      assert.equal((await scene.driver.send(order, { key: "k1", text: "more;" })).kind, "sent");
      assert.equal((await scene.driver.send(order, { key: "k1", text: "more;" })).kind, "sent");
      assert.equal(keysOf(scene).filter((key) => key.includes("more;")).length, 1);
      assert.deepEqual(await scene.driver.interrupt(order), { kind: "sent", detail: "it was interrupted" });
      assert.equal(keysOf(scene).at(-1), "\u001b");
      assert.deepEqual(await scene.driver.end(order, 500), { kind: "ended" });
    }),
);

/** The one after which least is known; the others where there is time. */
const POINT_ALWAYS = "tmux.type.after";

for (const point of ["tmux.type.before", POINT_ALWAYS, "tmux.enter.before", "tmux.enter.after"])
  test(
    `A8 A2 a task arrives once although its supervisor is killed at ${point}`,
    { skip: (point !== POINT_ALWAYS && agentsTier) || noTmux },
    () =>
      inTerminals(async (scene) => {
        const file = path.join(scene.folder, "record");
        const order = scene.program([process.execPath, programFile("recorder.mjs"), file], { prompt: "^> " });
        const killed = startElsewhere(scene, order, { HOLDFAST_CRASH_AT: `${point}#1` });
        assert.equal((await killed.outcome())?.kind, "started");
        await until(
          () => killed.process.exitCode !== null || killed.process.signalCode !== null,
          "its death",
        );
        assert.equal((await scene.driver.find(order)).kind, "alive");
        const over = new Promise<void>((resolve) => {
          scene.driver.listen(order, "", async ({ signals }) => {
            if (signals.some(({ kind }) => kind === "exit")) resolve();
          });
        });
        await over;
        assert.deepEqual(
          recorded(file).filter((text) => text !== ""),
          ["the task"],
        );
      }),
  );

/** So long that the line of input is no longer the last one, or not on one line. */
const LONG_TASK = `${"many words ".repeat(30)}at the end of the task`;

for (const [kind, program, of] of [
  ["prints", "recorder.mjs", { prompt: "^> " }],
  ["draws", "claude.mjs", {}],
] as const)
  test(
    `A8 A2 a long task that was typed and not sent off is sent off by the next supervisor, where a program ${kind}`,
    { skip: noTmux },
    () =>
      inTerminals(async (scene) => {
        const file = path.join(scene.folder, "keys");
        const order = scene.program([process.execPath, programFile(program), file, "works"], {
          ...of,
          task: LONG_TASK,
        });
        const killed = startElsewhere(scene, order, { HOLDFAST_CRASH_AT: "tmux.type.after#1" });
        assert.equal((await killed.outcome())?.kind, "started");
        await until(
          () => killed.process.exitCode !== null || killed.process.signalCode !== null,
          "its death",
        );
        scene.driver.listen(order, "", () => Promise.resolve());
        const took = (): string[] => recorded(file).filter((text) => text.includes("the end of the task"));
        const sentOff = (): boolean =>
          program === "claude.mjs" ? recorded(file).includes(ENTER) : took().length > 0;
        await until(sentOff, "its Enter");
        assert.equal(took().length, 1);
        assert.equal(recorded(file).filter((key) => key === ENTER).length, program === "claude.mjs" ? 1 : 0);
        await scene.driver.end(order, 500);
      }),
  );

test("P4 strings that are bundled are delivered byte for byte all the same: none is left out", () => {
  const strings = Array.from({ length: 1_650 }, (_, at) =>
    at % 97 === 96 ? "x".repeat(5_000) : `string ${String(at)}`,
  );
  const delivered = messagesOf(strings)
    .flatMap((message) => message.split("\n"))
    .sort();
  assert.deepEqual(delivered, [...strings].sort());
});
