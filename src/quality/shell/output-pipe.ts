import { execFile } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

export interface OutputPipe {
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
export async function openOutputPipe(): Promise<OutputPipe> {
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
