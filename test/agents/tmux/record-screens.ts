// Records how the screens of a real agent look, for the tests of their recognition:
// `node test/agents/tmux/record-screens.ts claude` writes test/agents/fixtures/claude/screens.json.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { lookAtOne } from "../../../src/agents/tmux/screen/look-at-panes.ts";
import { tmuxClient } from "../../../src/agents/tmux/tmux-client.ts";
import { TERMINAL_AGENTS, TerminalStage } from "./terminal-stage.ts";
import type { RecordedScreen } from "./recorded-screens.ts";

const [, , name = ""] = process.argv;
const agent = TERMINAL_AGENTS.find((one) => one.agent.name === name);
if (agent === undefined)
  throw new Error(`expected one of ${TERMINAL_AGENTS.map((one) => one.agent.name).join(", ")}`);
const stage = await TerminalStage.open(agent, { asks: true });
const screens: RecordedScreen[] = [];
const tmux = tmuxClient(stage.sessions);
const record = async (state: RecordedScreen["state"]): Promise<void> => {
  const screen = await lookAtOne(tmux, stage.order.session);
  if (screen === undefined) throw new Error(`no screen while ${state}`);
  const lines = screen.lines.map((line) => line.replaceAll(stage.repo, "/repo").trimEnd());
  screens.push({ state, title: screen.title.trimEnd(), lines });
};
try {
  await stage.driver.start(stage.order);
  await new Promise<void>((resolve, reject) => {
    setTimeout(() => reject(new Error("it takes too long")), 90_000).unref();
    stage.driver.listen(stage.order, "", async ({ signals }) => {
      for (const signal of signals) {
        if (signal.kind === "ready") await record("idle");
        if (signal.kind === "permission") {
          await record("permission");
          await stage.driver.answer(stage.order, { key: signal.askId, askId: signal.askId, allow: true });
          await record("busy");
        }
        if (signal.kind === "result") await record("idle");
        if (signal.kind === "exit") resolve();
      }
    });
  });
  const file = path.resolve(import.meta.dirname, `../fixtures/${name}/screens.json`);
  writeFileSync(file, `${JSON.stringify({ version: agent.agent.version, screens }, null, 1)}\n`);
} finally {
  await stage.close();
}
process.exit(0);
