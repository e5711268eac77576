import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { BUNDLED_SCRIPTS, findScript } from "../../../src/agents/demo/find-script.ts";
import { actsOf, type DemoOrder } from "../../../src/agents/demo/demo-order.ts";
import { demoScriptSchema } from "../../../src/agents/demo/demo-script.ts";
import { demoReader } from "../../../src/agents/demo/demo-driver.ts";
import { signalSchema } from "../../../src/model/agent/signals.ts";

test("A1 every bundled script is valid", () => {
  const names = ["hello", "crash-once", "slow", "fails", "no-evidence", "stages"];
  for (const name of names) assert.equal(findScript({ use: "demo", script: name }, "/").kind, "found", name);
  assert.deepEqual(Object.keys(BUNDLED_SCRIPTS).sort(), names.sort());
});

test("A1 the last attempt of a script is played for every later one", () => {
  const script = demoScriptSchema.parse(BUNDLED_SCRIPTS["crash-once"]);
  const acts = (number: number) => actsOf({ script, number } as DemoOrder);
  assert.equal(acts(1).at(-1)?.do, "crash");
  assert.equal(acts(2).at(-1)?.do, "claim");
  assert.deepEqual(acts(9), acts(2));
});

test("A1 a script that is not valid is refused by what is wrong in it", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-script-"));
  const file = path.join(folder, "script.json");
  const problemOf = (content: string): string => {
    writeFileSync(file, content);
    const lookup = findScript({ use: "demo", script: "script.json" }, folder);
    return lookup.kind === "missing" ? lookup.text : "";
  };
  assert.match(problemOf("not json"), /neither bundled nor a readable JSON file/);
  assert.match(problemOf('{"attempts":[]}'), /attempts/);
  assert.match(problemOf('{"attempts":[[{"do":"dance"}]]}'), /attempts\.0\.0\.do/);
  for (const escape of ["../x", "/etc/x", "a/../../x"])
    assert.match(
      problemOf(JSON.stringify({ attempts: [[{ do: "write", file: escape, content: "" }]] })),
      /below/,
    );
  rmSync(folder, { recursive: true });
});

test("A7 no mutation of a line makes its reading throw, and each is still a signal", () => {
  const lines = [
    '{"kind":"message","from":"agent","text":"hello"}',
    '{"kind":"tool_call","callId":"1","name":"bash","args":"ls"}',
    '{"kind":"usage","tokensIn":1,"usd":0.5}',
    '{"kind":"result","ok":true,"text":"done","value":{"__proto__":{"a":1}}}',
    '{"kind":"exit","how":"code","code":0}',
  ];
  let state = 42;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  for (let count = 0; count < 10_000; count += 1) {
    const bytes = Buffer.from(lines[below(lines.length)] ?? "");
    for (let flips = below(4); flips > 0; flips -= 1) bytes[below(bytes.length)] = below(256);
    const signals = demoReader().read({ text: bytes.toString("utf8"), kind: "whole", end: 0 }, "out");
    assert.equal(signals.length, 1);
    for (const signal of signals) {
      assert.ok(signalSchema.safeParse(signal).success);
      assert.notEqual(signal.kind, "exit");
    }
  }
});
