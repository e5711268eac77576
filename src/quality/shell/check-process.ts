import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { commandEnvironment } from "../../model/effects/command-environment.ts";
import { errorText } from "../../model/fault.ts";
import type { EnvironmentSettings } from "../../model/settings/environment-settings.ts";
import type { World } from "../../model/world.ts";
import type { CheckOrder } from "../quality.ts";

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
  receive: (bytes: Buffer) => void,
): Promise<CheckProcess | { readonly refused: string }> {
  const pipe = await openOutputPipe();
  const outputEnded = readAll(pipe.readEnd, receive);
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

function readAll(socket: Socket, receive: (bytes: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    socket.on("data", receive);
    socket.on("error", () => resolve());
    socket.on("close", () => resolve());
  });
}

interface OutputPipe {
  /** To be given to the process that writes. */
  readonly writeEnd: number;
  /** Ours of it; the pipe ends when nobody else holds it. */
  closeWriteEnd(): void;
  readonly readEnd: Socket;
}

/**
 * A true pipe. What Node gives to a process as one is a socket, and a script that writes to /dev/stderr cannot open
 * a socket by that name: its check would fail for no fault of its own.
 *
 * On disk: a folder with the pipe's name, for the moment between making and opening it.
 */
async function openOutputPipe(): Promise<OutputPipe> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-check-"));
  try {
    const name = path.join(folder, "output");
    await promisify(execFile)("mkfifo", ["-m", "600", name], { timeout: 10_000 });
    // In this order neither open waits for the other end.
    const readFd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    const writeEnd = openSync(name, constants.O_WRONLY);
    return {
      writeEnd,
      closeWriteEnd: () => closeSync(writeEnd),
      readEnd: new Socket({ fd: readFd, readable: true, writable: false }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Marks everything a check starts, wherever it goes: how it is found again. */
export const CHECK_VARIABLE = "HOLDFAST_CHECK";

/**
 * Becomes the check, after leaving a watcher behind. Arguments: the check's mark, then its command.
 *
 * 1. The watcher reads descriptor 3, whose other end only the supervisor's process holds. At its end of file, that
 *    process is gone, however it went: everything that bears the mark is killed, and then the group, itself included.
 * 2. It is started before the command, is no child of it, holds none of its output and is deaf to polite signals: it
 *    stays to the end, and keeps the number of the group from being used again while it does.
 * 3. It is forked before the mark is set, so it does not bear it.
 * 4. The command takes this process's place: the one that waits for it learns exactly how it ended.
 */
const CHECK_SCRIPT = `
mark=${CHECK_VARIABLE}=$1
trap '' HUP INT QUIT TERM
( (
  while read -r word <&3; do :; done
  rounds=0
  while [ "$rounds" -lt 50 ]; do
    left=$(grep -lsaF -- "$mark" /proc/[0-9]*/environ)
    [ -n "$left" ] || break
    for file in $left; do
      pid=\${file#/proc/}
      kill -s KILL "\${pid%/environ}"
    done
    rounds=$((rounds + 1))
  done
  kill -s KILL -- "-$$"
) </dev/null >/dev/null 2>&1 & )
trap - HUP INT QUIT TERM
${CHECK_VARIABLE}=$1
export ${CHECK_VARIABLE}
exec $low /bin/sh -c "$2" 3<&-
`;
