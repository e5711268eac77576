import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtProgram } from "../built-program.ts";

/** Children load the same modules again and again: compiled once, they start in half the time. */
const COMPILE_CACHE = join(tmpdir(), "holdfast-compile-cache");

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
}

export interface ProgramOptions {
  readonly env?: Record<string, string>;
  readonly killAfterMs?: number;
  /** Stopped, for so long, before it is killed or woken. */
  readonly stopped?: { readonly ms: number; readonly wakes: boolean };
  readonly limitMs?: number;
  /** Words before the program's own, such as `unshare -p`. */
  readonly within?: readonly string[];
}

/** Runs a TypeScript program on this Node and waits for its end; `killAfterMs` kills it from outside. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const [command = process.execPath, ...words] = [...(options.within ?? []), process.execPath];
    const child = spawn(command, [...words, builtProgram(file), ...args], {
      env: { ...process.env, NODE_TEST_CONTEXT: "", NODE_COMPILE_CACHE: COMPILE_CACHE, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const take = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-20_000);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    const { stopped, killAfterMs, limitMs = 60_000 } = options;
    const send = (signal: NodeJS.Signals, ms: number): NodeJS.Timeout =>
      setTimeout(() => child.kill(signal), ms);
    const timers = [send("SIGKILL", limitMs)];
    if (killAfterMs !== undefined && stopped !== undefined) timers.push(send("SIGSTOP", killAfterMs));
    if (killAfterMs !== undefined)
      timers.push(send(stopped?.wakes === true ? "SIGCONT" : "SIGKILL", killAfterMs + (stopped?.ms ?? 0)));
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      for (const timer of timers) clearTimeout(timer);
      resolve({ code, signal, output });
    });
  });
}
