import { CommanderError } from "commander";
import { commandTree } from "./command-tree.ts";
import type { Bind } from "./define-command.ts";
import { EXIT } from "./exit-codes.ts";
import { Invocation, type GlobalOptions } from "./invocation.ts";
import { flushed, Output, watchReader } from "./output.ts";
import { reportFault, usageFault } from "./report-fault.ts";
import { realSurroundings } from "./surroundings.ts";

/** An agent in this process that does not let go must not keep a command that is done. */
const LINGER_MS = 1_000;

/** The command line: parses, does, tells, and answers the exit code. */
export async function main(argv: string[]): Promise<number> {
  const { stdout, stderr, env } = process;
  const output = new Output({ json: wantsJson(argv), stdout, stderr, term: env["TERM"] });
  watchReader(stdout, () => output.unread());
  watchReader(stderr, () => undefined);
  // Thrown where nobody awaits, by an agent's own code for instance: what is recorded is safe, this process is not.
  process.once("uncaughtException", (error) => process.exit(reportFault(error, output, null)));
  const code = await execute(argv, output);
  await Promise.all([flushed(stdout), flushed(stderr)]);
  setTimeout(() => process.exit(code), LINGER_MS).unref();
  return code;
}

async function execute(argv: string[], output: Output): Promise<number> {
  let code: number = EXIT.done;
  let store: string | null = null;
  const bind: Bind =
    (work) =>
    async (...args) => {
      const command = args.pop() as { optsWithGlobals(): GlobalOptions };
      const call = new Invocation(command.optsWithGlobals(), output, realSurroundings());
      store = call.store.named;
      code = await work(call, ...(args as never[]));
    };
  const program = commandTree(bind, {
    out: (text) => output.product(text),
    err: (text) => output.note(text.trimEnd()),
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    const fault = error instanceof CommanderError ? usageFault(error, program, argv) : error;
    return fault === null ? EXIT.done : reportFault(fault, output, store);
  }
}

/** Known before parsing, since parsing itself may fail. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
}
