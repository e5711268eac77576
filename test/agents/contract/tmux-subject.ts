import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../../src/agents/keeper/session-members.ts";
import { identify } from "../../../src/agents/process-identity.ts";
import { tmuxDriver } from "../../../src/agents/tmux/tmux-driver.ts";
import { crashOptionsFrom, realWorld } from "../../../src/real-world.ts";
import { waitFor } from "./scene.ts";
import type { Subject } from "./subject.ts";

const onlyText =
  "what a terminal program prints is text for people: it makes no tool calls, claims and errors of it";
const ACTOR = fileURLToPath(new URL("../tmux/terminal-actor.mjs", import.meta.url));
const sessions = (folder: string): string => path.join(folder, "sessions");

export const noTmux =
  spawnSync("tmux", ["-V"]).status === 0
    ? false
    : "tmux is not installed; run `node scripts/setup.mjs --for test`";

export const subject: Subject = {
  name: "tmux",
  module: import.meta.url,
  open: (folder) => tmuxDriver({ world: realWorld(crashOptionsFrom(process.env)), folder: sessions(folder) }),
  specFor: (part) => ({
    use: "tmux",
    command: part === "missing" ? ["missing"] : [process.execPath, ACTOR, part],
    prompt: "^> $",
  }),
  exceptions: {
    "A7 a session is told in signals of one shape, from ready to exit": onlyText,
    "A7 what is not understood is kept as unknown and is never an error": onlyText,
    "A7 half a line is waited for, and told as unknown if the agent exits on it": onlyText,
    "A7 a failure is told as an error and an exit with 1": onlyText,
    "A5 ending a session whose agent exited ends what it left behind":
      "what an agent leaves in its terminal is hung up with it; see test/agents/tmux/terminal.int.ts",
  },
  vanish: async (folder, session) => {
    const { mark } = sessionFolder(sessions(folder), session);
    const members = (): readonly { readonly pid: number }[] => {
      const found = sessionMembers(mark, undefined);
      if (found === "unknown") throw new Error("the process table cannot be read");
      return found;
    };
    // First stopped, so that no keeper lives to tell of its agent's death.
    for (const { pid } of members()) process.kill(pid, "SIGSTOP");
    for (const { pid } of members()) process.kill(pid, "SIGKILL");
    await waitFor(() => (members().length === 0 ? true : undefined));
  },
  forge: (folder, session, pid) => {
    const { identity } = sessionFolder(sessions(folder), session);
    const recorded = JSON.parse(readFileSync(identity, "utf8")) as { startedAt: string };
    const stranger = identify(pid);
    assert.ok(
      typeof stranger === "object" && stranger.startedAt !== recorded.startedAt,
      "started in one tick",
    );
    writeFileSync(identity, `${JSON.stringify({ ...recorded, pid })}\n`);
  },
};
