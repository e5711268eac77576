import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { load as loadYaml } from "js-yaml";
import type { Recorded } from "../../src/model/events/events.ts";
import { builtProgram } from "../built-program.ts";
import { splitSettings } from "../host-settings.ts";
import { isLook, Resident } from "./resident.ts";

import { openSystem } from "../../src/main.ts";
import { configSchema } from "../../src/model/settings/config.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { describeEvent } from "../../src/views/text/describe-event.ts";

const PROGRAM = builtProgram(path.join(import.meta.dirname, "run-cli.ts"));
/** Children load the same modules again and again: compiled once, they start in half the time. */
const COMPILE_CACHE = path.join(tmpdir(), "holdfast-compile-cache");
const LIMIT_MS = 300_000;
const LOOK_EVERY_MS = 50;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has printed on stdout so far. */
  stdout(): string;
  /** Answers when stdout holds the text. */
  prints(text: string | RegExp): Promise<void>;
}

export interface CallOptions {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** `open`: a pipe that never ends; otherwise there is no stdin at all. */
  readonly stdin?: "open";
  /** It is killed after this time. */
  readonly limitMs?: number;
}

/** A home and a working folder of their own, and the command line in them. */
export class CliBench {
  readonly root = mkdtempSync(path.join(tmpdir(), "holdfast-cli-"));
  readonly home = path.join(this.root, "home");
  readonly cwd = path.join(this.root, "work");
  readonly #live = new Set<ChildProcess>();
  readonly #program: string;
  readonly #resident = new Resident();

  /** `program`: the command line, or one that is it where it has arguments. */
  constructor(files: Readonly<Record<string, string>> = {}, program = PROGRAM) {
    this.#program = program;
    mkdirSync(this.cwd);
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string): string {
    const file = path.join(this.cwd, name);
    if (/^holdfast\.(yaml|json)$/.test(name)) return this.configure(file, text);
    writeFileSync(file, text);
    return file;
  }

  /** Writes a configuration; settings of the host are written where they belong: into the user's own file. */
  configure(file: string, text: string): string {
    const { repository, host } = splitSettings((loadYaml(text) ?? {}) as Record<string, unknown>);
    const isSplit = Object.keys(host).length > 0;
    writeFileSync(file, isSplit ? JSON.stringify(repository, null, 2) : text);
    if (isSplit) this.configureHost(host);
    return file;
  }

  /** The user's own configuration. */
  configureHost(host: Record<string, unknown>): void {
    mkdirSync(this.home, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(this.home, "holdfast.yaml"), JSON.stringify(host, null, 2));
  }

  get store(): string {
    return path.join(this.home, "holdfast.db");
  }

  start(args: readonly string[], options: CallOptions = {}): CliProcess {
    const child = spawn(process.execPath, [this.#program, ...args], {
      cwd: options.cwd ?? this.cwd,
      env: { ...this.#environment(), ...options.env },
      stdio: [options.stdin === "open" ? "pipe" : "ignore", "pipe", "pipe"],
    });
    this.#live.add(child);
    return watch(child, options.limitMs ?? LIMIT_MS, () => this.#live.delete(child));
  }

  call(args: readonly string[], options: CallOptions = {}): Promise<Ended> {
    const isOrdinary = this.#program === PROGRAM && Object.keys(options).every((name) => name === "cwd");
    if (!isOrdinary || !isLook(args) || !this.#resident.isWorthIt()) return this.start(args, options).ended;
    return this.#resident.ask({
      args: [...args],
      env: this.#environment(),
      cwd: options.cwd ?? this.cwd,
    });
  }

  #environment(): Record<string, string> {
    return { ...cleanEnvironment(), HOLDFAST_HOME: this.home };
  }

  /** Calls, expects an exit code, and reads the one document on stdout. */
  async json<T = Record<string, unknown>>(args: readonly string[], code = 0): Promise<T> {
    const ended = await this.call([...args, "--json"]);
    assert.equal(ended.code, code, `${args.join(" ")}: ${ended.stdout}${ended.stderr}`);
    return JSON.parse(ended.stdout) as T;
  }

  /** All that the journal says of a run. */
  async eventsOf(run: string): Promise<Recorded[]> {
    const { stdout } = await this.call(["events", run, "--json"]);
    const lines = stdout.split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Recorded);
  }

  /** Waits until a run has the status. */
  reaches(run: string, status: string): Promise<void> {
    return this.#until(run, `became ${status}`, (state) => state.status === status);
  }

  /** Waits until the words stand in the run's journal. */
  receives(run: string, words: string): Promise<void> {
    return this.#until(run, `heard of "${words}"`, (_, events) =>
      events.some((event) => JSON.stringify(event.data).includes(words)),
    );
  }

  /** Looks into the store from here: a process for every look would slow down what is waited for. */
  async #until(
    run: string,
    what: string,
    holds: (state: RunState, events: readonly Recorded[]) => boolean,
  ): Promise<void> {
    const until = Date.now() + LIMIT_MS;
    while (!existsSync(this.store) && Date.now() < until) await delay(LOOK_EVERY_MS);
    const system = await openSystem({ store: `sqlite:${this.store}`, settings: configSchema.parse({}) });
    try {
      for (; Date.now() < until; await delay(LOOK_EVERY_MS)) {
        const state = await system.loadRun(run);
        const events = await system.ports.journal.read(run, { after: 0, limit: 10_000 });
        if (state !== null && holds(state, events)) return;
      }
      const reported = (await system.ports.journal.read(run, { after: 0, limit: 10_000 })).map(describeEvent);
      assert.fail(`${run} never ${what}:\n${reported.join("\n")}`);
    } finally {
      await system.close();
    }
  }

  /** Ends whatever lives in this home, detached supervisors and their agents included. */
  async close(): Promise<void> {
    for (const child of this.#live) child.kill("SIGKILL");
    this.#resident.close();
    await this.call(["down", "--stop-agents"]);
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function cleanEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(HOLDFAST_|XDG_|NODE_TEST)/.test(entry[0]),
  );
  // A sibling for each of the many short-lived supervisors would only cost time; test/cli/supervise/watchdog.e2e.ts has it.
  // What the test itself has written is trusted, as it would be in CI; test/attacks has repositories of others.
  const trust = { HOLDFAST_TRUST: "1" };
  return {
    ...Object.fromEntries(kept),
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    HOLDFAST_WATCHDOG: "off",
    // The same holds for the process that serves the API; test/api has it.
    HOLDFAST_HTTP: "off",
    ...trust,
    HOLDFAST_ANCHOR: "off",
  };
}

function watch(child: ChildProcess, limitMs: number, over: () => void): CliProcess {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const timer = setTimeout(() => child.kill("SIGKILL"), limitMs);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      over();
      resolve({ code, signal, stdout, stderr });
    });
  });
  const holds = (text: string | RegExp): boolean =>
    typeof text === "string" ? stdout.includes(text) : text.test(stdout);
  const prints = async (text: string | RegExp): Promise<void> => {
    for (const until = Date.now() + LIMIT_MS; !holds(text); await delay(20))
      assert.ok(
        Date.now() < until && child.exitCode === null,
        `never printed ${String(text)}: ${stdout}${stderr}`,
      );
  };
  return { child, ended, stdout: () => stdout, prints };
}

/** Splits a printed command as a shell would, without the leading `holdfast`. */
export function pasted(command: string): string[] {
  const words = [...command.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll("'\\''", "'") ?? plain ?? "",
  );
  assert.equal(words[0], "holdfast", command);
  return words.slice(1);
}

/** A process that has ended and that nobody has asked for yet (a zombie) is not alive. */
export function isAlive(pid: number): boolean {
  const { status, stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return status === 0 && !stdout.trim().startsWith("Z");
}
