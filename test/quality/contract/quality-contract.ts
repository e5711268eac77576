import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { evidenceSchema, EXCERPT_CHARS_MAX, type Evidence } from "../../../src/model/effects/evidence.ts";
import type { CheckOrder } from "../../../src/quality/quality.ts";
import type { Behaviour, QualityScene, QualitySubject } from "./subject.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** What every implementation of the port promises. */
export function qualityContract(subject: QualitySubject): void {
  const scenario = (title: string, body: (scene: QualityScene) => Promise<void>): void => {
    test(`${title} (${subject.name})`, { timeout: 60_000 }, async () => {
      const scene = await subject.open();
      try {
        await body(scene);
      } finally {
        await scene.close();
      }
    });
  };

  const orderOf = (
    scene: QualityScene,
    behaviour: Behaviour,
    more: Partial<CheckOrder> = {},
  ): CheckOrder => ({
    key: "run_1.step.1.check",
    command: subject.command(behaviour),
    cwd: scene.folder,
    limitMs: 30_000,
    outputBytesMax: 1_000_000,
    env: {},
    ...more,
  });

  const check = async (
    scene: QualityScene,
    behaviour: Behaviour,
    more: Partial<CheckOrder> = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Evidence> => {
    const order = orderOf(scene, behaviour, more);
    const evidence = await scene.quality.check(order, signal);
    assert.deepEqual(evidenceSchema.parse(evidence), evidence);
    assert.equal(evidence.command, order.command);
    assert.equal(scene.alive(order.key), 0, "something of the check was left");
    return evidence;
  };

  scenario("G6 exit code 0 is a pass, with the whole output counted and digested", async (scene) => {
    const evidence = await check(scene, { kind: "exits", code: 0, prints: "all good\n" });
    const { verdict, exitCode, signal, timedOut, outputBytes, digest, excerpt } = evidence;
    assert.deepEqual(
      { verdict, exitCode, signal, timedOut, outputBytes, digest, excerpt },
      {
        verdict: "pass",
        exitCode: 0,
        signal: null,
        timedOut: false,
        outputBytes: 9,
        digest: sha256("all good\n"),
        excerpt: "all good\n",
      },
    );
  });

  scenario("G6 any other exit code is a fail, with what was said", async (scene) => {
    const evidence = await check(scene, { kind: "exits", code: 3, prints: "2 tests failed\n" });
    assert.equal(evidence.verdict, "fail");
    assert.equal(evidence.exitCode, 3);
    assert.match(evidence.excerpt, /2 tests failed/);
  });

  scenario("G6 a check that cannot be run is unknown, and never a pass", async (scene) => {
    const evidence = await check(scene, { kind: "cannot run" });
    assert.equal(evidence.verdict, "unknown");
    assert.notEqual(evidence.excerpt, "");
  });

  scenario("G6 a check that hangs fails at its limit, and says so", async (scene) => {
    const evidence = await check(scene, { kind: "hangs", prints: "began\n", deaf: false }, { limitMs: 500 });
    assert.deepEqual([evidence.verdict, evidence.timedOut], ["fail", true]);
    assert.match(evidence.excerpt, /began[^]*timed out/);
  });

  scenario("A5 a check that is deaf to a polite end is ended firmly", async (scene) => {
    const evidence = await check(scene, { kind: "hangs", prints: "", deaf: true }, { limitMs: 500 });
    assert.deepEqual([evidence.verdict, evidence.timedOut], ["fail", true]);
  });

  scenario("G6 a check that is called off is unknown, and ended", async (scene) => {
    const controller = new AbortController();
    const running = check(scene, { kind: "hangs", prints: "", deaf: true }, {}, controller.signal);
    while (scene.alive("run_1.step.1.check") === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    controller.abort();
    const evidence = await running;
    assert.deepEqual([evidence.verdict, evidence.timedOut], ["unknown", false]);
  });

  scenario("G6 a check that was called off before it began is not run", async (scene) => {
    const evidence = await check(scene, { kind: "exits", code: 0, prints: "ran\n" }, {}, AbortSignal.abort());
    assert.equal(evidence.verdict, "unknown");
    assert.equal(evidence.outputBytes, 0);
  });

  scenario(
    "G6 of a flood, beginning and end are kept, and all of it is counted and digested",
    async (scene) => {
      const flood: Behaviour = { kind: "floods", text: "0123456789abcde\n", times: 50_000 };
      const evidence = await check(scene, flood, { outputBytesMax: 1_000 });
      assert.equal(evidence.verdict, "pass");
      assert.equal(evidence.outputBytes, 800_000);
      assert.equal(evidence.digest, sha256("0123456789abcde\n".repeat(50_000)));
      assert.ok(evidence.excerpt.length < 1_200 && evidence.excerpt.length <= EXCERPT_CHARS_MAX);
      assert.match(evidence.excerpt, /^0123456789abcde\n[^]*799000 bytes left out[^]*0123456789abcde\n$/);
    },
  );

  scenario("G6 checks of one key follow each other, and checks of two keys do not wait", async (scene) => {
    const quick: Behaviour = { kind: "exits", code: 0, prints: "" };
    const signal = new AbortController();
    const hanging = scene.quality.check(
      orderOf(scene, { kind: "hangs", prints: "", deaf: false }, { key: "a" }),
      signal.signal,
    );
    const second = scene.quality.check(orderOf(scene, quick, { key: "a" }), new AbortController().signal);
    assert.equal((await check(scene, quick, { key: "b" })).verdict, "pass");
    assert.equal(await Promise.race([second, Promise.resolve("waits")]), "waits");
    signal.abort();
    assert.deepEqual([(await hanging).verdict, (await second).verdict], ["unknown", "pass"]);
  });
}
