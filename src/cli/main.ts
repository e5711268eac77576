import { CommanderError, type Command } from "commander";
import { commandTree } from "./shell/command-tree.ts";
import { type Bind, EXIT } from "./shell/define-command.ts";
import { helpDocument } from "./shell/help-document.ts";
import { Invocation, type GlobalOptions } from "./shell/invocation.ts";
import { flushed, Output, watchReader, type Sink } from "./print/output.ts";
import { commandOf, reportFault, usageFault } from "./print/report-fault.ts";
import { performerOn } from "./server/perform-words.ts";
import { serverWanted } from "./remote/choose-server.ts";
import { realSurroundings } from "./shell/surroundings.ts";

/** An agent in this process that does not let go must not keep a command that is done. */
const LINGER_MS = 1_000;

/** The command line: parses, does, prints, and answers the exit code. */
export async function main(argv: string[]): Promise<number> {
  const { stdout, stderr, env } = process;
  const json = wantsJson(argv);
  const own = json ? ownStdout() : null;
  const output = new Output({
    json,
    stdout: own ?? stdout,
    stderr,
    term: env["TERM"],
    noColor: env["NO_COLOR"],
  });
  watchReader(stdout, () => output.unread());
  watchReader(stderr, () => undefined);
  // Thrown where nobody awaits, by an agent's own code for instance: what is recorded is safe, this process is not.
  process.once("uncaughtException", (error) => process.exit(reportFault(error, output, null)));
  const code = await runCommand(argv, output);
  own?.giveBack();
  await Promise.all([flushed(stdout), flushed(stderr)]);
  setTimeout(() => process.exit(code), LINGER_MS).unref();
  return code;
}

/** The same inside of a process that does other things too. */
export async function runCommand(argv: string[], output: Output): Promise<number> {
  let code: number = EXIT.done;
  let store: string | null = null;
  const bind: Bind =
    (work) =>
    async (...args) => {
      const command = args.pop() as Command;
      const surroundings = realSurroundings();
      const options: GlobalOptions = command.optsWithGlobals();
      const here = () => {
        const called = { command: command.name(), makePerformer: performerOn };
        const call = new Invocation(options, output, surroundings, called);
        return { call, work: () => work(call, ...(args as never[])) };
      };
      const wanted = serverWanted(options, surroundings);
      if (wanted !== null) {
        const { performRemotely } = await import("./remote/bind-remote.ts");
        code = await performRemotely({ command, wanted, options, output, surroundings, here });
        return;
      }
      const { call, work: begin } = here();
      store = call.store.named;
      code = await begin();
    };
  const write = {
    out: (text: string) => {
      if (!output.json) output.product(text);
    },
    err: (text: string) => output.note(text.trimEnd()),
  };
  const program = await commandTree(bind, write, argv);
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    const fault = error instanceof CommanderError ? usageFault(error, program, argv) : error;
    if (fault !== null) return reportFault(fault, output, store);
    output.document(askedOf(error as CommanderError, program, argv));
    return EXIT.done;
  }
}

/** Help or the version, as a document. */
const askedOf = ({ code }: CommanderError, program: Command, argv: readonly string[]): unknown =>
  code === "commander.version" ? { version: program.version() } : helpDocument(commandOf(program, argv));

/**
 * Stdout for this command alone. Code of a user that is loaded into this process (a flow, a configuration) may print
 * there too: in JSON mode its words go to stderr, and stdout stays one document or one stream.
 */
function ownStdout(): Sink & { giveBack(): void } {
  const { stdout, stderr } = process;
  const before = Object.getOwnPropertyDescriptor(stdout, "write");
  const write: Sink["write"] = stdout.write.bind(stdout);
  // A property of its own hides what was there, which is put back before stdout is flushed.
  stdout.write = stderr.write.bind(stderr);
  return {
    write,
    giveBack() {
      if (before === undefined) Reflect.deleteProperty(stdout, "write");
      else Object.defineProperty(stdout, "write", before);
    },
  };
}

/** Known before parsing, since parsing itself may fail. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
}
