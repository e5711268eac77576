import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Journal } from "../../../src/journal/journal.ts";
import { openPostgresJournal } from "../../../src/journal/postgres/postgres-journal.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import type { RunStatus } from "../../../src/model/state/run-status.ts";
import type { ProcessIdentity } from "../../../src/model/world.ts";
import { realWorld } from "../../../src/real-world.ts";
import { loadRun } from "../../../src/runtime/load-run.ts";
import { describeEvent } from "../../../src/views/text/describe-event.ts";
import { builtProgram } from "../../built-program.ts";
import { postgresMissing } from "../../postgres-server.ts";
import { Cable } from "./cable.ts";

const PROGRAM = builtProgram(path.join(import.meta.dirname, "..", "run-cli.ts"));
const COMPILE_CACHE = path.join(tmpdir(), "holdfast-compile-cache");
const LIMIT_MS = 90_000;

interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Its own files stand where those of every other host do; nothing of the others can be seen or ended from it. */
const HOST = `
mount --bind "$1" "$2" && hostname "$3" || exit 98
: > "$2/up"
sleep infinity & wait
`;
const UNSHARE = ["-p", "-f", "-m", "-u", "--mount-proc", "--kill-child=SIGKILL"];
const SPACES = ["-p", "-m", "-u"];

/** Why no hosts can be made here; false where they can. */
export function noHosts(): string | false {
  const missing = postgresMissing();
  if (missing !== null) return missing;
  const tried = spawnSync("unshare", [...UNSHARE, "true"], { encoding: "utf8" });
  if (tried.status === 0) return false;
  return `needs the right to make namespaces (unshare as root): ${tried.error?.message ?? tried.stderr.trim()}`;
}

/**
 * Hosts on one machine that share nothing but a database: each has its own processes, its own host name, its own state
 * folder and its own files, at the same paths. To kill one ends all its processes at once.
 */
export class Fleet {
  readonly root = mkdtempSync(path.join(tmpdir(), "holdfast-fleet-"));
  /** Where every host sees its own files. */
  readonly here = path.join(this.root, "here");
  readonly store: string;
  readonly journal: Journal;
  readonly #hosts: FleetHost[] = [];

  private constructor(store: string, journal: Journal) {
    this.store = store;
    this.journal = journal;
    mkdirSync(this.here);
  }

  static async on(store: string): Promise<Fleet> {
    return new Fleet(store, await openPostgresJournal({ url: store, world: realWorld() }));
  }

  /** What the journal says of a run; a process for every look would slow down what is waited for. */
  async stateOf(run: string): Promise<RunState> {
    const state = await loadRun(this.journal, run);
    if (state === null) throw new Error(`there is no ${run}`);
    return state;
  }

  eventsOf(run: string): Promise<Recorded[]> {
    return this.journal.read(run, { after: 0, limit: 10_000 });
  }

  async reaches(run: string, status: RunStatus): Promise<void> {
    try {
      await until(`${run} is ${status}`, async () => (await this.stateOf(run)).status === status);
    } catch (error) {
      throw new Error((await this.eventsOf(run)).map(describeEvent).join("\n"), { cause: error });
    }
  }

  /** `files` are written to the host's repository, which is the same commit on every host that has the same files. */
  async host(name: string, options: HostFiles = {}): Promise<FleetHost> {
    const host = new FleetHost(this, name, options.cable === true);
    this.#hosts.push(host);
    host.fill(options);
    await host.boot();
    return host;
  }

  async close(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.kill()));
    await this.journal.close();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface HostFiles {
  readonly files?: Readonly<Record<string, string>>;
  /** The user's own configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Gives it a network of its own. */
  readonly cable?: boolean;
}

const COMMIT = ["-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", "commit", "-q", "-m", "begin"];

export class FleetHost {
  readonly name: string;
  /** The host's files as they are seen from outside. */
  readonly folder: string;
  readonly work: string;
  readonly #fleet: Fleet;
  #child: ChildProcess | null = null;
  #init = 0;
  readonly #isWired: boolean;
  readonly #entered: ChildProcess[] = [];
  #cable: Cable | null = null;

  constructor(fleet: Fleet, name: string, isWired: boolean) {
    this.#isWired = isWired;
    this.#fleet = fleet;
    this.name = name;
    this.folder = path.join(fleet.root, name);
    this.work = path.join(fleet.here, "work");
  }

  fill({ files, config = {} }: HostFiles): void {
    const [home, work] = [path.join(this.folder, "home"), path.join(this.folder, "work")];
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(home, "holdfast.yaml"), JSON.stringify(config));
    if (files === undefined) return;
    mkdirSync(work);
    const env = {
      ...process.env,
      GIT_AUTHOR_DATE: "@1000000000 +0000",
      GIT_COMMITTER_DATE: "@1000000000 +0000",
    };
    const git = (...args: string[]): void => void execFileSync("git", args, { cwd: work, env });
    git("init", "-q", "-b", "main");
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(work, file), text);
    git("add", "-A");
    git(...COMMIT);
  }

  async boot(): Promise<void> {
    const up = path.join(this.folder, "up");
    rmSync(up, { force: true });
    const words = ["/bin/sh", "-c", HOST, "host", this.folder, this.#fleet.here, this.name];
    const spaces = this.#isWired ? [...UNSHARE, "-n"] : UNSHARE;
    const child = spawn("unshare", [...spaces, ...words], { stdio: "ignore" });
    this.#child = child;
    await until(`${this.name} is up`, () => {
      try {
        return readFileSync(up, "utf8") === "";
      } catch {
        return false;
      }
    });
    const pid = String(child.pid);
    this.#init = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0]);
    if (this.#isWired) this.#cable = new Cable(this.#init);
  }

  /** Between the host and all others; nobody is informed. */
  cut(): void {
    this.#cable?.cut();
  }

  mend(): void {
    this.#cable?.mend();
  }

  /** Signals processes by the pids that they have on the host, all at once. */
  signal(name: string, pids: readonly number[]): void {
    const words = ["kill", `-${name}`, ...pids.map(String)];
    execFileSync("nsenter", ["-t", String(this.#init), "-p", "-m", ...words], { stdio: "ignore" });
  }

  /** Whether exactly this process lives there: a host that starts again counts pids from the beginning. */
  lives({ pid, startedAt }: ProcessIdentity): boolean {
    const words = ["-t", String(this.#init), "-p", "-m", "cat", `/proc/${String(pid)}/stat`];
    const stat = spawnSync("nsenter", words, { encoding: "utf8" }).stdout;
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return ticks !== undefined && startedAt.endsWith(`:${ticks}`);
  }

  /** Every process of it at once. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child !== null && child.exitCode === null) {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      process.kill(this.#init, "SIGKILL");
      // One whose child was stopped has stopped too, and a host ends only when somebody waits for its processes.
      for (const entered of this.#entered.splice(0)) entered.kill("SIGKILL");
      await gone;
    }
    this.#cable?.remove();
    this.#cable = null;
  }

  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
    const child = spawn("nsenter", this.#enter(process.execPath, PROGRAM, ...args), {
      env: { ...this.#environment(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#entered.push(child);
    return child;
  }

  call(args: readonly string[]): Promise<Said> {
    const child = this.start(args);
    let [stdout, stderr] = ["", ""];
    child.stdout?.on("data", (part: Buffer) => (stdout += part.toString()));
    child.stderr?.on("data", (part: Buffer) => (stderr += part.toString()));
    return new Promise((resolve, reject) => {
      child.once("error", reject).once("close", (code) => resolve({ code, stdout, stderr }));
    });
  }

  async json<T>(args: readonly string[]): Promise<T> {
    const { code, stdout, stderr } = await this.call([...args, "--json"]);
    if (code !== 0) throw new Error(`${this.name}: ${args.join(" ")}: ${stdout}${stderr}`);
    return JSON.parse(stdout) as T;
  }

  /** A host without a repository has no folder for work. */
  #enter(...command: readonly string[]): string[] {
    const cwd = existsSync(path.join(this.folder, "work")) ? "work" : "home";
    const inside = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', path.join(this.#fleet.here, cwd)];
    const spaces = this.#isWired ? [...SPACES, "-n"] : SPACES;
    return ["-t", String(this.#init), ...spaces, ...inside, ...command];
  }

  #environment(): Record<string, string> {
    const kept = Object.entries(process.env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !/^(HOLDFAST_|XDG_|NODE_TEST)/.test(entry[0]),
    );
    return {
      ...Object.fromEntries(kept),
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      HOLDFAST_HOME: path.join(this.#fleet.here, "home"),
      HOLDFAST_STORE:
        this.#cable === null
          ? this.#fleet.store
          : this.#fleet.store.replace("127.0.0.1", this.#cable.machine),
      HOLDFAST_WATCHDOG: "off",
      HOLDFAST_HTTP: "off",
      HOLDFAST_TRUST: "1",
      HOLDFAST_ANCHOR: "off",
    };
  }
}

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const late = Date.now() + LIMIT_MS; !(await holds()); await delay(50))
    if (Date.now() > late) throw new Error(`in vain: ${what}`);
}
