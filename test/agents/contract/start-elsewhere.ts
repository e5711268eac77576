import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { SignalBatch, StartOrder, StartOutcome } from "../../../src/agents/agent-driver.ts";
import type { Scene } from "./scene.ts";

export interface Elsewhere {
  readonly process: ChildProcess;
  /** Undefined if the process died before it could tell. */
  outcome(): Promise<StartOutcome | undefined>;
  /** The next batch it received; undefined if it died before. */
  batch(): Promise<SignalBatch | undefined>;
  kill(): Promise<void>;
}

/** Starts a session from another process, which can then be killed without killing this one. */
export function startElsewhere(scene: Scene, order: StartOrder, env: Record<string, string> = {}): Elsewhere {
  const starter = fileURLToPath(new URL("./starter.ts", import.meta.url));
  const child = spawn(
    process.execPath,
    [starter, scene.subject.module, scene.folder, JSON.stringify(order)],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...env },
    },
  );
  const ended = once(child, "exit");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { done, value } = await lines.next();
    return done === true ? undefined : JSON.parse(value);
  };
  return {
    process: child,
    outcome: async () => (await next()) as StartOutcome | undefined,
    batch: async () => (await next()) as SignalBatch | undefined,
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
