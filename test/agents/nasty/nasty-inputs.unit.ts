import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { flowSchema } from "../../../src/model/flow/flow.ts";
import { isName, sessionKey } from "../../../src/model/ids.ts";
import { nastyInputs } from "./nasty-sessions.ts";

const NASTY = nastyInputs(300, "/tmp/holdfast-canary-that-must-not-be");

test("A3 P4 of 300 nasty strings none is a name, and each as a session is a folder of its own, below its own", () => {
  const names = NASTY.filter(isName);
  assert.deepEqual(
    names.filter((name) => !/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(name)),
    [],
  );
  const folders = NASTY.map((text, index) =>
    sessionFolder("/sessions", sessionKey(`${text}${String(index)}`, text.slice(0, 100), 1)),
  );
  assert.equal(new Set(folders.map(({ folder }) => folder)).size, NASTY.length);
  for (const { folder, mark } of folders) {
    assert.equal(path.dirname(folder), "/sessions");
    assert.match(path.basename(folder), /^[A-Za-z0-9._~-]{1,255}$/);
    assert.match(mark, /^[A-Za-z0-9._~@-]+$/);
  }
});

test("P4 nasty strings anywhere in a configuration or a flow are taken as text or refused by name, and never thrown over", () => {
  for (const text of NASTY) {
    const agent = {
      use: "tmux",
      command: [text, text],
      args: [text],
      model: text,
      env: { [text]: text },
      prompt: text,
    };
    const config = configSchema.safeParse({ agents: { [text]: agent } });
    assert.equal(config.success, isName(text) && text !== "");
    if (!config.success) assert.ok(config.error.issues.length > 0);
    const step = { name: "work", task: text, agent: "a", checks: [{ run: text }] };
    assert.equal(flowSchema.safeParse({ name: "f", steps: [step] }).success, text !== "");
    assert.equal(flowSchema.safeParse({ name: text, steps: [step] }).success, isName(text));
    assert.equal(configSchema.safeParse({ agents: { a: { use: text } } }).success, false);
    assert.equal(configSchema.safeParse({ [text]: 1 }).success, false);
  }
});
