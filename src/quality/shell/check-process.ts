import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { commandEnvironment } from "../../model/effects/command-environment.ts";
import type { EnvironmentSettings } from "../../model/settings/environment-settings.ts";
import { errorText } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import type { CheckOrder } from "../quality.ts";
import { CHECK_SCRIPT } from "./check-script.ts";
import { openOutputPipe } from "./output-pipe.ts";

export interface CommandExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A check that runs, as the leader of a session and group of its own. */
export interface CheckProcess {
  /** Also the number of its group. */
  readonly pid: number;
  readonly exited: Promise<CommandExit>;
  /** Resolves when nobody holds the output any more. */
  readonly outputEnded: Promise<void>;
  /** Lets go of what the check may still hold. */
  release(): void;
}

export interface CheckStart {
  readonly order: CheckOrder;
  readonly mark: string;
  /** The head of its script. */
  readonly priority: string;
  readonly environment: EnvironmentSettings;
}

export async function startCheck(
  world: World,
  { order, mark, priority, environment }: CheckStart,
  hear: (bytes: Buffer) => void,
): Promise<CheckProcess | { readonly refused: string }> {
  const pipe = await openOutputPipe();
  const outputEnded = readAll(pipe.readEnd, hear);
  let child: ChildProcess;
  try {
    world.crashPoint("check.spawn.before");
    child = spawn("/bin/sh", ["-c", `${priority}${CHECK_SCRIPT}`, "holdfast-check", mark, order.command], {
      cwd: order.cwd,
      detached: true,
      stdio: ["ignore", pipe.writeEnd, pipe.writeEnd, "pipe"],
      env: commandEnvironment(process.env, order.env, environment),
    });
  } catch (error) {
    pipe.readEnd.destroy();
    return { refused: errorText(error) };
  } finally {
    pipe.closeWriteEnd();
  }
  const failed = once(child, "error");
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  if (child.pid === undefined) {
    pipe.readEnd.destroy();
    const [error] = (await failed) as [unknown];
    exited.catch(() => undefined);
    return { refused: errorText(error) };
  }
  world.crashPoint("check.spawn.after");
  const lifeline = child.stdio[3] as Socket;
  // The watcher's end is closed when it dies, which is how every check ends.
  lifeline.on("error", () => undefined);
  failed.catch(() => undefined);
  return {
    pid: child.pid,
    exited: exited.then(([exitCode, signal]) => ({ exitCode, signal })),
    outputEnded,
    release() {
      lifeline.destroy();
      pipe.readEnd.destroy();
    },
  };
}

function readAll(socket: Socket, hear: (bytes: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    socket.on("data", hear);
    socket.on("error", () => resolve());
    socket.on("close", () => resolve());
  });
}
