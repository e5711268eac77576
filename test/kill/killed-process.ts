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

/** Runs a TypeScript program on this Node and waits for its end; `killAfterMs` kills it from outside. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: { env?: Record<string, string>; killAfterMs?: number; limitMs?: number } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [builtProgram(file), ...args], {
      env: { ...process.env, NODE_TEST_CONTEXT: "", NODE_COMPILE_CACHE: COMPILE_CACHE, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const take = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-20_000);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    const kill = (ms: number | undefined): NodeJS.Timeout | undefined =>
      ms === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), ms);
    const timers = [kill(options.killAfterMs), kill(options.limitMs ?? 60_000)];
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      for (const timer of timers) clearTimeout(timer);
      resolve({ code, signal, output });
    });
  });
}
