import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { SignalBatch } from "../../../src/agents/agent-driver.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import type { TerminalStage } from "./terminal-stage.ts";

const STARTER = fileURLToPath(new URL("../contract/starter.ts", import.meta.url));
const SUBJECT = new URL("../contract/tmux-subject.ts", import.meta.url).href;

export interface Supervising {
  /** What was received until a signal came, and the cursor after it. */
  until(found: (signal: Signal) => boolean): Promise<{ readonly signals: Signal[]; readonly cursor: string }>;
  kill(): Promise<void>;
}

/** A supervisor in a process of its own, which can be killed. */
export function superviseElsewhere(stage: TerminalStage): Supervising {
  const child = spawn(process.execPath, [STARTER, SUBJECT, stage.folder, JSON.stringify(stage.order)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async until(found) {
      const signals: Signal[] = [];
      for (;;) {
        const { done, value } = await lines.next();
        if (done === true) throw new Error(`it died before: ${JSON.stringify(signals)}`);
        const batch = JSON.parse(value) as Partial<SignalBatch>;
        signals.push(...(batch.signals ?? []));
        if (batch.signals?.some(found) === true) return { signals, cursor: batch.cursor ?? "" };
      }
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
