import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { launchScript } from "../../../src/agents/tmux/launch-script.ts";
import { terminalFolder, type TerminalFolder } from "../../../src/agents/tmux/terminal-folder.ts";
import { makeSessionFolder } from "../../../src/agents/keeper/session-folder.ts";

const SECRET = "sk-ant-'quoted' \"twice\" $HOME `id`\nand a second line";
const ENV = {
  PATH: process.env["PATH"] ?? "",
  MODEL_API_KEY: SECRET,
  "odd.name": "dropped",
  IFS: "i",
  UID: "4711",
};

function prepared(t: TestContext): { terminal: TerminalFolder; script: string; folder: string } {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-launch-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const terminal = terminalFolder(path.join(folder, "sessions"), "s");
  makeSessionFolder(terminal.kept);
  const report = path.join(folder, "environment.json");
  const program = `require("fs").writeFileSync(${JSON.stringify(report)}, JSON.stringify(process.env))`;
  const command = [process.execPath, "-e", program];
  const script = path.join(terminal.kept.folder, "launch.1");
  writeFileSync(script, launchScript(terminal, "1", { command, cwd: folder, env: ENV, nice: 5 }));
  return { terminal, script, folder };
}

const OUTSIDE = { PATH: process.env["PATH"], TMUX: "/tmp/x,1,0", HOLDFAST_STORE: "elsewhere", PWD: "/" };

test("A5 T5 a program in a terminal has exactly its own environment, and is given it without words that others can read", (t) => {
  const { terminal, script, folder } = prepared(t);
  const seen = path.join(folder, "commands");
  const traced = spawnSync(
    "strace",
    ["-f", "-qq", "-s", "10000", "-e", "trace=execve", "-o", seen, "/bin/sh", script],
    {
      cwd: terminal.kept.folder,
      env: OUTSIDE,
      encoding: "utf8",
    },
  );
  if (traced.error !== undefined) {
    t.skip("strace is not installed");
    return;
  }
  assert.equal(readFileSync(terminal.kept.exit, "utf8").trim(), "0", traced.stderr);
  const env = JSON.parse(readFileSync(path.join(folder, "environment.json"), "utf8")) as typeof ENV;
  assert.deepEqual(
    Object.fromEntries(Object.entries(env).filter(([name]) => name !== "PWD" && name !== "_")),
    { PATH: ENV.PATH, MODEL_API_KEY: SECRET },
  );
  const commands = readFileSync(seen, "utf8");
  assert.match(commands, /execve\(.*nice/, "the commands of the script are seen");
  assert.doesNotMatch(commands, /sk-ant|MODEL_API_KEY/);
});
