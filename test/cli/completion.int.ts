import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { commandTree } from "../../src/cli/command-tree.ts";
import { COMPLETION_SCRIPTS } from "../../src/cli/completion-scripts.ts";

const tree = commandTree(() => async () => undefined, { out: () => undefined, err: () => undefined });

/** What Bash would offer after these words, of which the last is being typed. */
function offered(...words: string[]): string[] {
  const script = `${COMPLETION_SCRIPTS.bash(tree)}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const done = spawnSync("bash", ["-c", script, "bash", "holdfast", ...words], { encoding: "utf8" });
  assert.equal(done.stderr, "");
  return done.stdout.split("\n").filter((word) => word !== "");
}

test("O1 Bash completes commands, subcommands, options and shells", () => {
  assert.deepEqual(offered("re"), [
    "report",
    "resume",
    "retry",
    "reopen",
    "reject",
    "restore",
    "reissue",
    "reconcile",
    "replay",
  ]);
  assert.deepEqual(offered("config", "s"), ["schema", "show"]);
  assert.deepEqual(offered("completion", ""), [
    "bash",
    "zsh",
    "fish",
    "--json",
    "--store",
    "--config",
    "--help",
  ]);
  assert.deepEqual(offered("events", "mail-1", "--f"), ["--follow"]);
  assert.deepEqual(offered("--store", "sqlite:x", "down", "--st"), ["--stop-agents", "--store"]);
});

const isInstalled = (shell: string): boolean => spawnSync(shell, ["--version"]).error === undefined;

for (const shell of ["zsh", "fish"] as const)
  test(
    `O1 ${shell} can read its completion script`,
    { skip: !isInstalled(shell) && `${shell} is not installed` },
    () => {
      const done = spawnSync(shell, ["-n"], { input: COMPLETION_SCRIPTS[shell](tree), encoding: "utf8" });
      assert.deepEqual([done.status, done.stderr], [0, ""]);
    },
  );
