import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { makeSessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import type { PaneRow } from "../../../src/agents/tmux/screen/look-at-panes.ts";
import { plainProgram } from "../../../src/agents/tmux/programs/program.ts";
import { TASK_KEY, writeSaid } from "../../../src/agents/tmux/type/said-record.ts";
import { terminalFolder } from "../../../src/agents/tmux/terminal-folder.ts";
import { WatchedTerminal } from "../../../src/agents/tmux/watched-terminal.ts";
import { realWorld } from "../../../src/real-world.ts";

const PANE: PaneRow = { dead: false, pid: 1, title: "" };
const BEGIN = 1_000_000;

test("A4 A5 a look from before the last change, or of a terminal that is gone, ends no turn", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-look-"));
  try {
    const world = realWorld();
    const terminal = terminalFolder(folder, "s");
    makeSessionFolder(terminal.kept);
    writeFileSync(terminal.kept.order, JSON.stringify({ task: "do it" }));
    const program = plainProgram(/^> $/u);
    const say = (): Promise<never> => assert.fail("nothing is to be said");
    const one = new WatchedTerminal({ world, terminal, program, say });
    const results = (): number => readFileSync(terminal.kept.out, "utf8").split('"result"').length - 1;
    appendFileSync(terminal.kept.out, "");
    appendFileSync(terminal.raw, "> ");
    assert.ok(one.observe(BEGIN));
    one.see(BEGIN + 1, PANE, ["> "]);
    writeSaid(world, terminal, TASK_KEY, { state: "sent", raw: 2, at: BEGIN + 10, detail: "" });
    appendFileSync(terminal.raw, "do it\r\n");
    one.observe(BEGIN + 20);
    // The server was killed; or this screen was not asked for in this round.
    one.see(BEGIN + 5_000, undefined, undefined);
    one.see(BEGIN + 5_001, PANE, undefined);
    assert.equal(results(), 0);
    one.see(BEGIN + 5_002, PANE, ["> do it", "done", "> "]);
    assert.equal(results(), 1);
    one.resign();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
