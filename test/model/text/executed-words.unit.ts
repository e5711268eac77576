import assert from "node:assert/strict";
import { test } from "node:test";
import { executedByShell, executedByWords } from "../../../src/model/text/executed-words.ts";

const SHELL: readonly (readonly [command: string, executed: readonly string[]])[] = [
  ["./hook.sh --now >> log.txt 2>&1", ["./hook.sh"]],
  ["node hook.mjs out.json", ["node", "hook.mjs"]],
  ["cat >> notes.log", ["cat"]],
  ["A=1 B=2 ./x.sh | tee y && sh -e z.sh; test -f q", ["./x.sh", "tee", "sh", "z.sh", "test"]],
  ["sh -c 'exec ./deep.sh arg'", ["sh", "./deep.sh"]],
  ["timeout 30s env X=1 python3 'my check.py' data.csv", ["python3", "my check.py"]],
  ["if ./a; then ./b; fi", ["./a", "./b", "fi"]],
  ["echo a\n./second.sh", ["echo", "./second.sh"]],
];

test("P3 the words of a command that are executed are its programs and their scripts, not what it reads or writes", () => {
  for (const [command, executed] of SHELL) assert.deepEqual(executedByShell(command), executed, command);
  assert.deepEqual(executedByWords(["/bin/sh", "-c", "./run.sh now"]), ["/bin/sh", "./run.sh"]);
  assert.deepEqual(executedByWords(["bun", "--watch", "agent.ts", "--log", "out.log"]), ["bun", "agent.ts"]);
  assert.deepEqual(executedByWords([]), []);
});
