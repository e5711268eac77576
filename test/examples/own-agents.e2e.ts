import assert from "node:assert/strict";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { noTmux } from "../agents/contract/tmux-subject.ts";
import { CliBench } from "../cli/cli-process.ts";
import { takesTurns } from "../turns.ts";

const { test } = takesTurns(2);

const PAGE = readFileSync(path.join(import.meta.dirname, "../../docs/own-agents.md"), "utf8");

interface Block {
  readonly kind: string;
  /** Of a file that the reader is asked to write. */
  readonly name: string;
  readonly text: string;
}

const BLOCKS: readonly Block[] = [...PAGE.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)].map(
  ([, kind = "", name = "", text = ""]) => ({ kind, name, text }),
);

/** Each command of the page with the files that are written since the one before it. */
const EXAMPLES = BLOCKS.flatMap(({ kind, name, text }, at) =>
  kind === "sh" && name === ""
    ? [{ command: text.trim(), files: BLOCKS.slice(0, at).filter((block) => block.name !== "") }]
    : [],
);

/** As a shell would take them: the page quotes with double quotes only. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "").slice(1);

interface Recognised {
  readonly runs: number;
  readonly kinds: ReadonlySet<string>;
}

async function follow(bench: CliBench, example: (typeof EXAMPLES)[number]): Promise<Recognised> {
  for (const { name, text } of example.files) {
    writeFileSync(path.join(bench.cwd, name), text);
    chmodSync(path.join(bench.cwd, name), 0o755);
  }
  const ended = await bench.call(wordsOf(example.command));
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  assert.match(readFileSync(path.join(bench.cwd, "hello.txt"), "utf8"), /^hello$/m);
  const run = /--id (\S+)/.exec(example.command)?.[1] ?? "";
  const events = await bench.eventsOf(run);
  const signals = events.flatMap((event) => (event.type === "SignalsHeard" ? event.data.signals : []));
  rmSync(path.join(bench.cwd, "hello.txt"));
  return {
    runs: events.filter(({ type }) => type === "AttemptStarted").length,
    kinds: new Set(signals.map(({ kind }) => kind)),
  };
}

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  text: ["ready", "progress", "result", "exit"],
  lines: [
    "ready",
    "conversation",
    "tool_call",
    "tool_result",
    "message",
    "usage",
    "context",
    "result",
    "exit",
  ],
  protocol: ["ready", "tool_call", "tool_result", "message", "result", "exit"],
  terminal: ["ready", "progress", "result", "exit"],
};

test("A11 the page of agents of one's own has an example for each way to run one", () => {
  const ids = EXAMPLES.map(({ command }) => /--id (\S+)/.exec(command)?.[1]);
  assert.deepEqual(ids, Object.keys(EXPECTED));
});

for (const example of EXAMPLES) {
  const id = /--id (\S+)/.exec(example.command)?.[1] ?? "";
  test(
    `A11 A1 who copies the example "${id}" of docs/own-agents.md gets its work done, in one attempt`,
    { skip: id === "terminal" && noTmux },
    async (t) => {
      const bench = new CliBench();
      t.after(() => bench.close());
      const { runs, kinds } = await follow(bench, example);
      assert.equal(runs, 1);
      for (const kind of EXPECTED[id] ?? []) assert.ok(kinds.has(kind), `${kind}: ${[...kinds].join(" ")}`);
    },
  );
}
