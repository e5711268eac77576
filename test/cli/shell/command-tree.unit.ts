import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { COMMANDS, commandTree } from "../../../src/cli/shell/command-tree.ts";

const noWriters = { out: () => undefined, err: () => undefined };
const treeFor = (...argv: string[]): Promise<Command> =>
  commandTree(() => async () => undefined, noWriters, argv);
const namesIn = (command: Command): string[] => command.commands.map((child) => child.name());

test("O1 every entry of the command line adds exactly the commands that it names", async () => {
  for (const { names, add } of COMMANDS) {
    const parent = new Command("holdfast");
    (await add())(parent, () => async () => undefined);
    assert.deepEqual(namesIn(parent), names);
  }
});

test("O1 a command that is named is read without the others; help, completion and mistakes read all of them", async () => {
  const all = COMMANDS.flatMap(({ names }) => names);
  assert.deepEqual(namesIn(await treeFor("--store", "sqlite:runs", "--json", "status", "runs")), ["status"]);
  assert.deepEqual(namesIn(await treeFor("retry", "--help")), [
    "resume",
    "pause",
    "cancel",
    "retry",
    "reopen",
  ]);
  assert.deepEqual(namesIn(await treeFor("--version", "--json")), []);
  for (const argv of [[], ["--help"], ["help", "run"], ["statsu"], ["completion", "bash"]])
    assert.deepEqual(namesIn(await treeFor(...argv)), all, argv.join(" "));
});
