import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import type { Measured } from "../children/measured.ts";

const LIMIT_MS = 600_000;
const OUTPUT_BYTES_MAX = 64 * 1_024 * 1_024;
const runFile = promisify(execFile);

/** A process of its own: nothing is loaded, cached or allocated by what was measured before. */
export async function measureInChild(
  program: string,
  args: readonly string[],
  expected: number,
): Promise<Measured> {
  const { stdout } = await runNode([path.join(import.meta.dirname, "..", "children", program), ...args]);
  const measured = JSON.parse(stdout) as Measured;
  if (measured.result !== expected)
    throw new Error(`${program} found ${String(measured.result)}, expected ${String(expected)}`);
  return measured;
}

/** From the start of the process to its end. */
export async function wholeLifeMs(args: readonly string[], env: Record<string, string>): Promise<number> {
  const began = performance.now();
  await runNode(args, env);
  return performance.now() - began;
}

const runNode = (args: readonly string[], env: Record<string, string> = {}): Promise<{ stdout: string }> =>
  runFile(process.execPath, args, {
    env: { ...process.env, ...env },
    timeout: LIMIT_MS,
    maxBuffer: OUTPUT_BYTES_MAX,
  });
