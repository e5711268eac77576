import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { StartOrder } from "../../../src/agents/agent-driver.ts";
import { sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { targetOf, tmuxClient, type TmuxClient } from "../../../src/agents/tmux/tmux-client.ts";
import { subject } from "../contract/tmux-subject.ts";
import { Scene, waitFor } from "../contract/scene.ts";

/** A scene with terminals in it: when it is struck, its tmux server has ended by itself. */
export class TerminalScene extends Scene {
  readonly sessions = path.join(this.folder, "sessions");
  readonly tmux: TmuxClient = tmuxClient(this.sessions);

  constructor() {
    super(subject);
  }

  program(
    command: readonly string[],
    more: Partial<StartOrder> & { readonly prompt?: string } = {},
  ): StartOrder {
    const { prompt, ...rest } = more;
    const spec = { use: "tmux" as const, command: [...command], ...(prompt === undefined ? {} : { prompt }) };
    return { ...this.order("works", "run.program.1"), task: "the task", spec, ...rest };
  }

  folderOf(session: string): ReturnType<typeof sessionFolder> {
    return sessionFolder(this.sessions, session);
  }

  async serverPid(): Promise<number> {
    const answer = await this.tmux.run(["display-message", "-p", "#{pid}"]);
    assert.ok(answer.kind === "done", answer.kind === "done" ? "" : answer.text);
    return Number(answer.out);
  }

  async screen(session: string): Promise<string> {
    const answer = await this.tmux.run(["capture-pane", "-p", "-t", targetOf(session)]);
    return answer.kind === "done" ? answer.out : "";
  }

  override async strike(): Promise<void> {
    try {
      await super.strike();
    } finally {
      const answer = await this.tmux.run(["list-panes", "-a"]);
      if (answer.kind === "done") await this.tmux.run(["kill-server"]);
      assert.notEqual(answer.kind, "done", "a tmux server was left running");
    }
  }
}

export async function inTerminals(play: (scene: TerminalScene) => Promise<void>): Promise<void> {
  const scene = new TerminalScene();
  try {
    await play(scene);
  } catch (error) {
    // What a test that failed leaves behind is no finding of its own.
    await scene.strike().catch(() => undefined);
    throw error;
  }
  await scene.strike();
}

export const programFile = (name: string): string => fileURLToPath(new URL(`./${name}`, import.meta.url));

/** What a program of these tests has recorded, one value a line. */
export const recorded = (file: string): string[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as string)
    : [];

export async function until(look: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    if (await look()) return;
    await waitFor(() => undefined, 50);
  }
  assert.fail(`waited in vain: ${what}`);
}
