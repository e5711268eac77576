import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import type { ModelServer } from "../../../src/chaos/model-server.ts";
import type { LoggedRequest } from "../../../src/chaos/request-log.ts";
import type { ModelScriptInput } from "../../../src/model/agent/model-script.ts";
import { scriptedModel } from "../../chaos/scripted-model.ts";
import type { Aim, RealAgent, Stage } from "./agent-setup.ts";

/** However slow the machine is. */
const LIMIT_MS = 120_000;

export interface AgentEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A repository, a home and a temporary folder of their own for one agent. */
export class AgentStage {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-agent-")));
  readonly repo = path.join(this.folder, "repo");
  readonly home = path.join(this.folder, "home");
  readonly url: string;
  readonly #live = new Set<ChildProcess>();

  constructor(url: string) {
    this.url = url;
    for (const folder of [this.repo, this.home, this.tmp]) mkdirSync(folder);
    spawnSync("git", ["init", "-q", this.repo]);
  }

  get tmp(): string {
    return path.join(this.folder, "tmp");
  }

  /** Puts an agent's settings into its home, and says what environment it is to be started in. */
  environment(aim: (stage: Stage) => Aim): Record<string, string> {
    const { env, files } = aim(this);
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(this.home, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return { ...this.#surroundings(), ...env };
  }

  /** Starts a command that is aimed at the model, and at nothing else. */
  start(
    aim: (stage: Stage) => Aim,
    [program = "", ...args]: readonly string[],
    stdin: "ignore" | "pipe",
  ): ChildProcess {
    const env = this.environment(aim);
    const child = spawn(program, args, {
      cwd: this.repo,
      // A group of its own, so that whatever it leaves behind can be ended with it.
      detached: true,
      stdio: [stdin, "pipe", "pipe"],
      env,
    });
    this.#live.add(child);
    return child;
  }

  async run({ program = [], aim }: RealAgent, args: readonly string[]): Promise<AgentEnd> {
    // Some agents wait for ever on a stdin that is not closed.
    const child = this.start(aim, [...program, ...args], "ignore");
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const limit = setTimeout(() => this.#end(child), LIMIT_MS);
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => {
        clearTimeout(limit);
        resolve({ code, signal, stdout, stderr });
      });
    });
  }

  /** Nothing of the person who runs the tests, and no way out but loopback. */
  #surroundings(): Record<string, string> {
    const nowhere = "http://127.0.0.1:9";
    return {
      PATH: `${path.dirname(process.execPath)}${path.delimiter}/usr/local/bin:/usr/bin:/bin`,
      HOME: this.home,
      TMPDIR: this.tmp,
      TERM: "dumb",
      LANG: "C.UTF-8",
      HTTP_PROXY: nowhere,
      HTTPS_PROXY: nowhere,
      NO_PROXY: "127.0.0.1,localhost",
    };
  }

  #end(child: ChildProcess): void {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }

  close(): void {
    for (const child of this.#live) this.#end(child);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** A scripted model, and a stage on which agents are aimed at it, for the time of one test. */
export async function stageFor(
  t: Pick<TestContext, "after">,
  script: ModelScriptInput,
  hold?: (request: LoggedRequest) => Promise<void>,
): Promise<{ readonly model: ModelServer; readonly stage: AgentStage }> {
  const model = await scriptedModel(t, script, hold === undefined ? {} : { hold });
  const stage = new AgentStage(model.url);
  t.after(() => stage.close());
  return { model, stage };
}

/** What stands in hello.txt of its repository; empty where there is none. */
export const written = (stage: AgentStage): string => {
  const file = path.join(stage.repo, "hello.txt");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};

export const notInstalled = (name: string, purpose: "test" | "agents" = "test"): string =>
  `${name} is not installed; run \`node scripts/setup.mjs --for ${purpose}\` with a way to the registry`;
