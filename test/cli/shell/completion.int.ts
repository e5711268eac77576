import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { commandTree } from "../../../src/cli/shell/command-tree.ts";
import { COMPLETION_SCRIPTS } from "../../../src/cli/commands/setup/completion.ts";

const tree = await commandTree(() => async () => undefined, { out: () => undefined, err: () => undefined });

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
    "restore-store",
  ]);
  assert.deepEqual(offered("config", "s"), ["schema", "show"]);
  assert.deepEqual(offered("completion", ""), [
    "bash",
    "zsh",
    "fish",
    "--json",
    "--store",
    "--config",
    "--server",
    "--token-file",
    "--ca-file",
    "--help",
  ]);
  assert.deepEqual(offered("events", "mail-1", "--f"), ["--follow"]);
  assert.deepEqual(offered("--store", "sqlite:x", "down", "--st"), ["--stop-agents", "--store"]);
});

const isInstalled = (shell: string): boolean => spawnSync(shell, ["--version"]).error === undefined;
const absent = (shell: string): string | false => !isInstalled(shell) && `${shell} is not installed`;

/** In the place of the program: what it answers is seen by test/cli/first-hour.e2e.ts. */
const ANSWERS = `holdfast() { case "$3" in runs) echo mend:1; echo talk ;; agents) echo claude ;; *) echo "c1-of-$3" ;; esac; }`;
const FISH_ANSWERS = `function holdfast
  switch $argv[3]
    case runs; printf '%s\\n' mend:1 talk
    case agents; echo claude
    case '*'; echo c1-of-$argv[3]
  end
end`;

/** What the script gives zsh to choose from; zsh itself leaves out what does not begin like the word. */
function zshItems(...typed: string[]): string[] {
  const script = `${ANSWERS}
    compdef() { : }; _files() { print FILES }; _describe() { print -rl -- "\${(@P)2}" }
    ${COMPLETION_SCRIPTS.zsh(tree)}
    words=("$@"); CURRENT=$#; _holdfast`;
  const done = spawnSync("zsh", ["-f", "-c", script, "zsh", "holdfast", ...typed], { encoding: "utf8" });
  assert.equal(done.stderr, "");
  return done.stdout.split("\n").filter((line) => line.startsWith(typed.at(-1) ?? ""));
}

test(
  "O1 Zsh completes commands with their summaries, run ids, agents and checkpoints",
  { skip: absent("zsh") },
  () => {
    assert.match(zshItems("checkpoint").join("\n"), /^checkpoint:\S.*\ncheckpoints:\S/);
    assert.deepEqual(zshItems("status", "me"), ["mend\\:1"]);
    assert.deepEqual(zshItems("run", "goal", "--agent", "cl"), ["claude"]);
    assert.deepEqual(zshItems("restore", "mend", "c"), ["c1-of-checkpoints\\:mend"]);
    assert.deepEqual(zshItems("runs", "me"), []);
    assert.equal(zshItems("--store", "")[0], "FILES");
  },
);

/** What fish itself would offer. */
function fishOffers(typed: string): string[] {
  const script = `${FISH_ANSWERS}\n${COMPLETION_SCRIPTS.fish(tree)}\ncomplete -C ${JSON.stringify(`holdfast ${typed}`)}`;
  const done = spawnSync("fish", ["--no-config", "-c", script], { encoding: "utf8" });
  assert.equal(done.stderr, "");
  return done.stdout.split("\n").filter(Boolean);
}

test(
  "O1 fish completes commands with their summaries, options, run ids, agents and checkpoints",
  { skip: absent("fish") },
  () => {
    assert.match(fishOffers("checkpoints").join("\n"), /^checkpoints\t\S/);
    assert.match(fishOffers("config s").join("\n"), /^schema\t.*\nshow\t/);
    assert.match(fishOffers("events mail-1 --fo").join("\n"), /^--follow\t/);
    assert.deepEqual(fishOffers("status me"), ["mend:1"]);
    assert.deepEqual(fishOffers("run goal --agent cl"), ["claude"]);
    assert.deepEqual(fishOffers("restore mend c1"), ["c1-of-checkpoints:mend"]);
    assert.ok(!fishOffers("runs me").includes("mend:1"));
  },
);
