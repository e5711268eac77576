import { spawnSync } from "node:child_process";
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
import type { AgentDriver, StartOrder } from "../../../src/agents/agent-driver.ts";
import { tmuxDriver } from "../../../src/agents/tmux/tmux-driver.ts";
import { startModelServer, type ModelServer } from "../../../src/chaos/model-server.ts";
import { modelScriptSchema } from "../../../src/model/agent/model-script.ts";
import { crashOptionsFrom, realWorld } from "../../../src/real-world.ts";
import { claude, codex, gemini, opencode, type RealAgent, type Stage } from "../real/agent-setup.ts";
import { HELLO } from "../real/scripts.ts";

/** How a real agent is started with its screen, and what answers the questions of its first start. */
export interface TerminalAgent {
  readonly agent: RealAgent;
  readonly args: readonly string[];
  /** The same, but it asks before it writes. */
  readonly askingArgs: readonly string[];
  readonly files: (stage: Stage) => Readonly<Record<string, string>>;
}

const noFiles = (): Record<string, string> => ({});

export const TERMINAL_AGENTS: readonly TerminalAgent[] = [
  {
    agent: claude,
    args: ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
    askingArgs: [],
    files: ({ repo }) => ({
      ".claude.json": JSON.stringify({
        hasCompletedOnboarding: true,
        theme: "dark",
        customApiKeyResponses: { approved: ["test"], rejected: [] },
        projects: { [repo]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      }),
    }),
  },
  {
    agent: gemini,
    args: ["--approval-mode", "yolo", "-m", "gemini-2.5-flash"],
    askingArgs: ["-m", "gemini-2.5-flash"],
    files: noFiles,
  },
  {
    agent: codex,
    args: ["--dangerously-bypass-approvals-and-sandbox"],
    askingArgs: ["-a", "on-request", "--sandbox", "read-only"],
    files: noFiles,
  },
  { agent: opencode, args: [], askingArgs: [], files: noFiles },
];

/** A real agent with a screen, a home and a repository of its own, aimed at a scripted model. */
export class TerminalStage {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-screen-")));
  readonly repo = path.join(this.folder, "repo");
  readonly sessions = path.join(this.folder, "sessions");
  readonly driver: AgentDriver;
  readonly order: StartOrder;
  readonly #model: ModelServer;

  private constructor(model: ModelServer, setup: TerminalAgent, asks: boolean) {
    this.#model = model;
    const home = path.join(this.folder, "home");
    for (const folder of [this.repo, home, path.join(this.folder, "tmp")]) mkdirSync(folder);
    spawnSync("git", ["init", "-q", this.repo]);
    const stage = { url: model.url, home, repo: this.repo };
    const aim = setup.agent.aim(stage);
    for (const [name, text] of Object.entries({ ...aim.files, ...setup.files(stage) })) {
      mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
      writeFileSync(path.join(home, name), text);
    }
    const env = { ...surroundings(this.folder), ...aim.env };
    const command = [...(setup.agent.program ?? []), ...(asks ? setup.askingArgs : setup.args)];
    this.order = {
      session: "run.screen.1",
      spec: { use: "tmux", command, env },
      run: "run",
      step: "screen",
      attempt: "screen#1",
      number: 1,
      task: "Write hello.txt",
      cwd: this.repo,
    };
    this.driver = this.open();
  }

  static async open(setup: TerminalAgent, { asks = false } = {}): Promise<TerminalStage> {
    const model = await startModelServer({ script: modelScriptSchema.parse(HELLO) });
    return new TerminalStage(model, setup, asks);
  }

  open(): AgentDriver {
    return tmuxDriver({ world: realWorld(crashOptionsFrom(process.env)), folder: this.sessions });
  }

  written(): string {
    const file = path.join(this.repo, "hello.txt");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  async close(): Promise<void> {
    await this.driver.end(this.order, 1_000);
    await this.driver.close();
    await this.#model.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** Nothing of the person who runs the tests, and no way out but loopback. */
const surroundings = (folder: string): Record<string, string> => ({
  HOME: path.join(folder, "home"),
  TMPDIR: path.join(folder, "tmp"),
  LANG: "C.UTF-8",
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
});
