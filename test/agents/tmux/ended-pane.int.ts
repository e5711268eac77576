import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { serverWords, targetOf } from "../../../src/agents/tmux/tmux-client.ts";
import { tmuxDriver } from "../../../src/agents/tmux/tmux-driver.ts";
import { realWorld } from "../../../src/real-world.ts";
import { noTmux } from "../contract/tmux-subject.ts";
import { programFile, recorded, until } from "./terminal-scene.ts";

test(
  "A8 B3 a text for a program that ends at that instant is refused, and other terminals live on",
  { skip: noTmux },
  async () => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-ended-pane-")));
    const sessions = path.join(folder, "sessions");
    const tmux = (...args: string[]): string =>
      execFileSync("tmux", [...serverWords(sessions), ...args], { encoding: "utf8" }).trim();
    let isEnding = false;
    const endOne = (point: string): void => {
      if (point !== "tmux.type.before" || !isEnding) return;
      process.kill(Number(tmux("display-message", "-p", "-t", targetOf("one"), "#{pane_pid}")), "SIGKILL");
      while (tmux("display-message", "-p", "-t", targetOf("one"), "#{pane_dead}") !== "1");
    };
    const driver = tmuxDriver({ world: { ...realWorld(), crashPoint: endOne }, folder: sessions });
    const start = async (session: string) => {
      const record = path.join(folder, session);
      const spec = {
        use: "tmux" as const,
        command: [process.execPath, programFile("recorder.mjs"), record],
        prompt: "^> ",
      };
      const order = {
        session,
        spec,
        run: "r",
        step: "s",
        attempt: "a",
        number: 1,
        task: "the task",
        cwd: folder,
      };
      assert.equal((await driver.start(order)).kind, "started");
      await until(() => recorded(record).includes("the task"), `the task of ${session}`);
      return { order, record };
    };
    const [one, other] = [await start("one"), await start("other")];
    try {
      isEnding = true;
      const outcome = await driver.send(one.order, { key: "k1", text: "too late" });
      isEnding = false;
      assert.match(JSON.stringify(outcome), /the text was not typed: the program has ended/);
      assert.equal((await driver.send(other.order, { key: "k2", text: "in time" })).kind, "sent");
      assert.deepEqual(recorded(other.record), ["the task", "in time"]);
    } finally {
      await driver.end(one.order, 200);
      await driver.end(other.order, 200);
      await driver.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
