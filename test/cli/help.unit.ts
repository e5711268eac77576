import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Command } from "commander";
import { commandTree } from "../../src/cli/shell/command-tree.ts";

const SNAPSHOT = path.join(import.meta.dirname, "snapshots", "help.txt");

/** The help of every command, as a terminal of 100 columns shows it. */
function helpOf(command: Command, words: string[]): string[] {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 100 });
  command.outputHelp();
  return [
    `$ ${[...words, "--help"].join(" ")}\n${text}`,
    ...command.commands.flatMap((child) => helpOf(child, [...words, child.name()])),
  ];
}

test("O1 the help of every command is as reviewed (UPDATE_SNAPSHOTS=1 writes it again)", async () => {
  const tree = await commandTree(() => async () => undefined, { out: () => undefined, err: () => undefined });
  const text = helpOf(tree, ["holdfast"]).join("\n").replaceAll(/ +$/gm, "");
  if (process.env["UPDATE_SNAPSHOTS"] === "1") writeFileSync(SNAPSHOT, text);
  assert.equal(text, readFileSync(SNAPSHOT, "utf8"));
});
