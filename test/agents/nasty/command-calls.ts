/**
 * The command line, called again and again in one process: each line of standard input is a list of arguments as JSON,
 * each line of standard output the exit code and what was written to standard error. Started with arguments it is the
 * command line itself, once: that is how it starts supervisors.
 */
import { createInterface } from "node:readline";
import { main } from "../../../src/cli/main.ts";

if (process.argv.length > 2) void main(process.argv.slice(2)).then((code) => (process.exitCode = code));
else void serve();

async function serve(): Promise<void> {
  const exit = process.exit.bind(process);
  const answer = process.stdout.write.bind(process.stdout);
  let errors = "";
  process.stdout.write = kept(() => undefined);
  process.stderr.write = kept((text) => (errors += text));
  process.on("uncaughtException", () => exit(70));
  // A command ends its process a moment later; this one has more to do.
  process.exit = (() => undefined) as unknown as typeof process.exit;
  for (const one of [process, process.stdout, process.stderr]) one.setMaxListeners(0);
  for await (const line of createInterface({ input: process.stdin })) {
    errors = "";
    const code = await main(JSON.parse(line) as string[]);
    answer(`${JSON.stringify({ code, stderr: errors })}\n`);
  }
  exit(0);
}

function kept(keep: (text: string) => void): typeof process.stdout.write {
  return (chunk: string | Uint8Array, ...rest: unknown[]) => {
    keep(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
    const done = rest.find((one) => typeof one === "function") as (() => void) | undefined;
    done?.();
    return true;
  };
}
