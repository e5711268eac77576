import assert from "node:assert/strict";
import path from "node:path";
import { holdfastClient } from "../../../src/api/client/client.ts";
import { ApiBench } from "../api-bench.ts";
import { connectViewer, type ConnectOptions, type TerminalViewer } from "./terminal-viewer.ts";

const PROGRAM = path.resolve(import.meta.dirname, "terminal-program.mjs");

/** A run `term` whose agent is a terminal program, a server, and a token that may only read. */
export class TerminalStage {
  readonly bench: ApiBench;
  viewer = "";

  /** `words`: arguments of the program. */
  constructor(words: readonly string[] = [], files: Readonly<Record<string, string>> = {}) {
    const command = [process.execPath, PROGRAM, ...words];
    const agents = { term: { use: "tmux", command, prompt: "^> $" } };
    this.bench = new ApiBench({
      "holdfast.yaml": `supervisor: { idleExitMs: 300, scanMs: 100 }\nagents: ${JSON.stringify(agents)}\n`,
      ...files,
    });
  }

  async begin(): Promise<void> {
    const { cli } = this.bench;
    const run = ["run", "begin", "--agent", "term", "--id", "term", "--detach", "--in-place"];
    const started = await cli.call(run);
    assert.equal(started.code, 0, started.stderr);
    await cli.receives("term", "working");
    await this.bench.serve();
    const order = ["token", "create", "wall", "--role", "viewer"];
    ({ token: this.viewer } = await cli.json<{ token: string }>(order));
  }

  async end(): Promise<void> {
    await this.bench.cli.call(["cancel", "term"]);
    await this.bench.close();
  }

  bearer(token = this.bench.token): Record<string, string> {
    return { authorization: `Bearer ${token}` };
  }

  async ticket(token = this.bench.token): Promise<string[]> {
    const client = holdfastClient({ url: this.bench.ready.url, token });
    return [...(await client.openTerminal({ params: { run: "term" }, body: {} })).protocols];
  }

  async open(token = this.bench.token, options: Partial<ConnectOptions> = {}): Promise<TerminalViewer> {
    const protocols = options.protocols ?? (await this.ticket(token));
    const found = await connectViewer(this.bench, { headers: this.bearer(token), ...options, protocols });
    if (typeof found === "number") assert.fail(`refused with ${String(found)}`);
    return found;
  }

  /** What was done at the terminal, as the journal of the run has it. */
  async recorded() {
    return (await this.bench.cli.eventsOf("term")).flatMap(({ type, data }) =>
      type === "RequestHeard" && data.request.kind === "terminal" ? [data] : [],
    );
  }
}
