import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { withheldNames, withheldText } from "../../model/effects/command-environment.ts";
import type { EnvironmentSettings } from "../../model/settings/environment-settings.ts";
import type { Evidence } from "../../model/effects/evidence.ts";
import { errorText } from "../../model/fault.ts";
import { printableLine } from "../../model/text/printable.ts";
import type { World } from "../../model/world.ts";
import { decideCheck, type CheckEnding } from "../check-verdict.ts";
import { outputDigest, type OutputDigest } from "../output-digest.ts";
import type { CheckOrder, Quality } from "../quality.ts";
import { CHECK_VARIABLE, type CheckProcess, startCheck } from "./check-process.ts";
import { endMarked, pause, signalTo, type MarkedProcesses } from "./end-marked.ts";

export interface ShellQualityOptions {
  readonly world: World;
  readonly marked: MarkedProcesses;
  /** Between the polite end and the firm one. */
  readonly graceMs?: number;
  /** The head of the script: it sets `low`, the words by which the command is started with a lower priority. */
  readonly priority?: string;
  /** What checks get of this process's environment; the default list where left out. */
  readonly environment?: EnvironmentSettings;
}

const GRACE_MS = 10_000;
/** What a command that has ended wrote last may still be on its way through a helper such as `tee`. */
const LINGER_MS = 500;
/** After the last process is gone, the rest of its output comes at once, on however busy a machine. */
const DRAIN_MS = 5_000;
const LOOK_AGAIN_MS = 100;
const NOTE_CHARS_MAX = 500;

/**
 * Runs each check by `sh -c` as a session of its own.
 *
 * 1. Of one key one check runs at a time: those of this process follow each other, and what a process that died has
 *    left of the key is ended before a new one begins.
 * 2. A check ends with this process, by the watcher of `check-script.ts`.
 * 3. An answer is given after nothing that bears the check's mark is left; if something withstands SIGKILL, the
 *    verdict is `unknown`.
 */
export function shellQuality({
  world,
  marked,
  graceMs = GRACE_MS,
  priority = "low=\n",
  environment = { inherit: "listed", pass: [] },
}: ShellQualityOptions): Quality {
  const ports = { world, marked, graceMs, priority, environment };
  const lastOfKey = new Map<string, Promise<unknown>>();
  return {
    async check(order, signal) {
      const before = lastOfKey.get(order.key) ?? Promise.resolve();
      const mine = before.then(() => new Check(ports, order, signal).run());
      lastOfKey.set(order.key, mine);
      try {
        return await mine;
      } finally {
        if (lastOfKey.get(order.key) === mine) lastOfKey.delete(order.key);
      }
    },
  };
}

class Check {
  readonly #ports: Required<ShellQualityOptions>;
  readonly #order: CheckOrder;
  readonly #signal: AbortSignal;
  readonly #output: OutputDigest;
  readonly #mark: string;
  readonly #startedAt: number;

  constructor(ports: Required<ShellQualityOptions>, order: CheckOrder, signal: AbortSignal) {
    this.#ports = ports;
    this.#order = order;
    this.#signal = signal;
    this.#output = outputDigest(order.outputBytesMax);
    this.#mark = createHash("sha256").update(order.key).digest("hex").slice(0, 32);
    this.#startedAt = ports.world.now();
  }

  async run(): Promise<Evidence> {
    const { world } = this.#ports;
    try {
      const left = await this.#endMarked();
      if (left !== "") return this.#notRun(`an earlier run of this check could not be ended: ${left}`);
      if (this.#signal.aborted) return this.#notRun("the check was called off before it began");
      const problem = problemOfFolder(this.#order.cwd);
      if (problem !== "") return this.#notRun(problem);
      const { priority, environment } = this.#ports;
      const start = { order: this.#order, mark: this.#mark, priority, environment };
      const started = await startCheck(world, start, (bytes) => this.#output.push(bytes));
      if ("refused" in started) return this.#notRun(`the check could not be started: ${started.refused}`);
      return await this.#see(started);
    } catch (error) {
      return this.#notRun(`the check could not be run: ${errorText(error)}`);
    }
  }

  async #see(check: CheckProcess): Promise<Evidence> {
    const { world } = this.#ports;
    try {
      const cause = await this.#awaitCause(check);
      world.crashPoint("check.end.before");
      const left = await this.#end(check, cause);
      const exit = await this.#within(DRAIN_MS, check.exited);
      await this.#within(DRAIN_MS, check.outputEnded);
      world.crashPoint("check.end.after");
      return this.#evidence({ exitCode: exit?.exitCode ?? null, signal: exit?.signal ?? null, cause }, left);
    } finally {
      // The watcher takes this for our death, and ends everything an error of ours has left.
      check.release();
    }
  }

  async #end(check: CheckProcess, cause: CheckEnding["cause"]): Promise<string> {
    if (cause === "itself") await this.#within(LINGER_MS, check.outputEnded);
    else {
      signalTo(-check.pid, "SIGTERM");
      await this.#within(this.#ports.graceMs, this.#quiet(check));
    }
    signalTo(-check.pid, "SIGKILL");
    return this.#endMarked();
  }

  async #awaitCause(check: CheckProcess): Promise<CheckEnding["cause"]> {
    const signal = this.#signal;
    let abort = (): void => undefined;
    const aborted = new Promise<"abort">((resolve) => {
      abort = () => resolve("abort");
      signal.addEventListener("abort", abort, { once: true });
      if (signal.aborted) abort();
    });
    try {
      const ended = Promise.race([check.exited.then(() => "itself" as const), aborted]);
      return (await this.#within(this.#order.limitMs, ended)) ?? "limit";
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** The command has ended, nobody holds its output, and nothing else of it is seen. */
  async #quiet(check: CheckProcess): Promise<void> {
    await Promise.all([check.exited, check.outputEnded]);
    for (;;) {
      const found = await this.#look();
      if (found === "unknown" || found.length === 0) return;
      await pause(this.#ports.world, LOOK_AGAIN_MS);
    }
  }

  #look = (): ReturnType<MarkedProcesses> => this.#ports.marked(`${CHECK_VARIABLE}=${this.#mark}`);

  #endMarked(): Promise<string> {
    return endMarked(this.#ports.world, this.#look);
  }

  /** Undefined when the time is up. */
  #within<T>(limitMs: number, awaited: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const cancel = this.#ports.world.timer(limitMs, () => resolve(undefined));
      awaited.then(resolve, reject).finally(cancel);
    });
  }

  #evidence(ending: CheckEnding, left: string): Evidence {
    const { verdict, note } = decideCheck(ending, this.#order.limitMs);
    if (left !== "") return this.#record({ ...ending, verdict: "unknown", note: left });
    const hints = verdict === "pass" ? [note] : [note, this.#withheld()];
    return this.#record({ ...ending, verdict, note: hints.filter((one) => one !== "").join("; ") });
  }

  #withheld(): string {
    const names = withheldNames(process.env, this.#ports.environment);
    return withheldText(
      names.filter((name) => this.#order.env[name] === undefined),
      `${this.#order.command}\n${this.#output.excerpt("")}`,
    );
  }

  #notRun(note: string): Evidence {
    return this.#record({ verdict: "unknown", note, exitCode: null, signal: null, cause: "itself" });
  }

  #record(end: CheckEnding & { readonly verdict: Evidence["verdict"]; readonly note: string }): Evidence {
    const note = end.note === "" ? "" : `\n[holdfast: ${printableLine(end.note, NOTE_CHARS_MAX)}]`;
    return {
      command: this.#order.command,
      verdict: end.verdict,
      exitCode: end.exitCode,
      signal: end.signal,
      timedOut: end.cause === "limit",
      outputBytes: this.#output.bytes(),
      digest: this.#output.digest(),
      excerpt: this.#output.excerpt(note),
      durationMs: Math.max(0, Math.round(this.#ports.world.now() - this.#startedAt)),
    };
  }
}

function problemOfFolder(cwd: string): string {
  const found = statSync(cwd, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return "";
  return `the folder ${cwd} ${found === undefined ? "does not exist" : "is no folder"}, so nothing was checked`;
}
