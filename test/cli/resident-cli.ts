/** The command line in a process that stays: it is sent one command after the other. See `resident.ts`. */
import { runCommand } from "../../src/cli/main.ts";
import { Output, type Sink } from "../../src/cli/print/output.ts";
import type { Asked } from "./resident.ts";

class Kept implements Sink {
  text = "";
  write(text: string): boolean {
    this.text += text;
    return true;
  }
}

process.on("message", ({ args, env, cwd }: Asked) => {
  for (const name of Object.keys(process.env)) if (!(name in env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  process.chdir(cwd);
  const [stdout, stderr] = [new Kept(), new Kept()];
  const { TERM: term, NO_COLOR: noColor } = env;
  const output = new Output({ json: args.includes("--json"), stdout, stderr, term, noColor });
  void runCommand(args, output).then((code) =>
    process.send?.({ code, signal: null, stdout: stdout.text, stderr: stderr.text }),
  );
});
