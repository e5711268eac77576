import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { builtProgram } from "../../built-program.ts";
import { AGENTS } from "../agents.ts";
import { CliBench } from "../cli-process.ts";

const PROGRAM = builtProgram(path.join(import.meta.dirname, "..", "run-cli.ts"));
const LIMIT_MS = 60_000;
const ACTS = [
  { do: "say", text: "part 1" },
  { do: "wait", file: "go" },
  { do: "claim", ok: true, text: "part 2" },
];

const newBench = (): CliBench =>
  new CliBench({ "agents.mjs": AGENTS, "agent.json": JSON.stringify({ attempts: [ACTS] }) });

/** A terminal of tmux, with everything that was ever written to it. */
class Terminal {
  readonly #socket: string;
  readonly #written: string;

  constructor(bench: CliBench, columns: number, rows: number) {
    this.#socket = path.join(bench.root, "tmux");
    this.#written = path.join(bench.root, "written");
    const shell = `env HOLDFAST_HOME='${bench.home}' HOLDFAST_WATCHDOG=off sh`;
    const size = ["-x", String(columns), "-y", String(rows)];
    this.#tmux("-f", "/dev/null", "new-session", "-d", "-s", "t", "-c", bench.cwd, ...size, shell);
    this.#tmux("pipe-pane", "-t", "=t:", `cat >'${this.#written}'`);
  }

  #tmux(...words: string[]): string {
    const { status, stdout, stderr } = spawnSync("tmux", ["-S", this.#socket, ...words], {
      encoding: "utf8",
    });
    assert.equal(status, 0, `${words.join(" ")}: ${stderr}`);
    return stdout;
  }

  type(...keys: string[]): void {
    this.#tmux("send-keys", "-t", "=t:", ...keys);
  }

  resize(columns: number, rows: number): void {
    this.#tmux("resize-window", "-t", "=t:", "-x", String(columns), "-y", String(rows));
  }

  screen(): string {
    return this.#tmux("capture-pane", "-p", "-t", "=t:");
  }

  /** Whether the other screen is shown, and whether the cursor is. */
  modes(): string {
    return this.#tmux("display-message", "-p", "-t", "=t:", "#{alternate_on} #{cursor_flag}").trim();
  }

  written(): string {
    return readFileSync(this.#written, "utf8");
  }

  async shows(words: RegExp): Promise<string> {
    for (const until = Date.now() + LIMIT_MS; ; await delay(50)) {
      const screen = this.screen();
      if (words.test(screen)) return screen;
      assert.ok(Date.now() < until, `never showed ${String(words)}:\n${screen}`);
    }
  }

  close(): void {
    spawnSync("tmux", ["-S", this.#socket, "kill-server"]);
  }
}

test("O2 watch shows runs in a terminal as they go, draws only what changed, follows its size, and gives the terminal back", async (t) => {
  const bench = newBench();
  let terminal: Terminal | null = null;
  t.after(async () => {
    // First: its socket lies in the folder of the bench.
    terminal?.close();
    await bench.close();
  });
  assert.equal(
    (await bench.call(["run", "it fails", "--id", "bad", "--agent", "function:agents.mjs#fails"])).code,
    3,
  );
  const front = bench.start(["run", "slowly", "--id", "slow", "--agent", "demo:./agent.json"]);
  await bench.receives("slow", "part 1");
  terminal = new Terminal(bench, 100, 24);
  terminal.type(`'${process.execPath}' '${PROGRAM}' watch; echo "left with $?"`, "Enter");
  const first = await terminal.shows(/NEEDS YOU[^]*bad[^]*→ holdfast retry bad[^]*WORKING[^]*slow/);
  assert.match(first, /1 need you · 1 working · 0 waiting · 0 done/);
  assert.equal(terminal.modes(), "1 0");
  terminal.type("x", "y");
  const drawnBefore = terminal.written().length;
  bench.write("go", "");
  assert.equal((await front.ended).code, 0);
  await terminal.shows(/0 working[^]*DONE[^]*slow .*completed/);
  const drawn = terminal.written().slice(drawnBefore);
  assert.ok(
    !drawn.includes("retries_exhausted"),
    "the line of the run that did not move was not drawn again",
  );
  assert.ok(!terminal.written().includes("\u001b[2J"), "nothing is ever cleared as a whole");
  assert.ok(!drawn.includes("xy"), "keys are not echoed");
  terminal.resize(60, 10);
  const small = await terminal.shows(/^[^\n]*…\n[^]*NEEDS YOU/);
  assert.ok(small.split("\n").every((line) => [...line].length <= 60));
  terminal.type("C-c");
  await terminal.shows(/left with 130/);
  assert.equal(terminal.modes(), "0 1");
  terminal.type(`'${process.execPath}' '${PROGRAM}' watch; echo "then left with $?"`, "Enter");
  await terminal.shows(/NEEDS YOU/);
  terminal.type("q");
  await terminal.shows(/then left with 0/);
});

test("O2 O1 watch without a terminal shows one frame; with --json a line for each run that changed, until it is interrupted", async (t) => {
  const bench = newBench();
  t.after(() => bench.close());
  const none = await bench.call(["watch"]);
  assert.deepEqual([none.code, none.stderr], [0, ""]);
  assert.match(none.stdout, /0 need you · 0 working[^]*no runs yet/);
  assert.equal(
    (await bench.call(["run", "g", "--id", "one", "--agent", "function:agents.mjs#quick"])).code,
    0,
  );
  assert.match((await bench.call(["watch"])).stdout, /DONE\n {2}one .*completed, unverified · g/);
  const stream = bench.start(["watch", "--json"]);
  await stream.prints(/"run":"one".*"group":"done"/);
  assert.equal(
    (await bench.call(["run", "g", "--id", "two", "--agent", "function:agents.mjs#fails"])).code,
    3,
  );
  await stream.prints(/"run":"two".*"group":"needs_you".*"command":"holdfast retry two/);
  stream.child.kill("SIGINT");
  const { code, stdout } = await stream.ended;
  assert.equal(code, 130);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { run: string });
  assert.equal(lines.filter(({ run }) => run === "one").length, 1, "what does not change is told once");
});
