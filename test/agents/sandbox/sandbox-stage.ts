import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AgentDriver, StartOutcome, StartOrder } from "../../../src/agents/agent-driver.ts";
import { claudeAgent } from "../../../src/agents/claude/claude-agent.ts";
import { headlessDriver } from "../../../src/agents/headless/headless-driver.ts";
import { lookForSandbox, type SandboxFound } from "../../../src/agents/sandbox/find-sandbox.ts";
import type { Limits } from "../../../src/agents/sandbox/sandbox-limits.ts";
import { withSandbox } from "../../../src/agents/sandbox/with-sandbox.ts";
import { socketOf } from "../../../src/agents/tmux/tmux-client.ts";
import { tmuxDriver } from "../../../src/agents/tmux/tmux-driver.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import type { ExitSignal, Signal } from "../../../src/model/agent/signals.ts";
import { realWorld } from "../../../src/real-world.ts";
import { sandboxGit } from "../../../src/sandbox-git.ts";

const found = lookForSandbox(process.env["PATH"]);

/** Why tests of the sandbox cannot run on this machine; false where they can. */
export const noSandbox: string | false =
  found.kind === "impossible" && `no sandbox is possible here: ${found.why} (${found.remedy})`;

/** A person's home, their repository and Holdfast's state, as far as agents in a sandbox are concerned. */
export class SandboxStage {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-sandbox-")));
  readonly home = this.in("home");
  readonly repo = this.in("home/repo");
  readonly sessions = this.in("state/store.sqlite-sessions");
  readonly drivers: ReadonlyMap<AgentSpec["use"], AgentDriver>;
  #count = 0;

  constructor(
    options: { find?: () => SandboxFound; hosts?: readonly string[]; limits?: Partial<Limits> } = {},
  ) {
    for (const folder of [this.repo, this.sessions, path.join(this.home, ".ssh")])
      mkdirSync(folder, { recursive: true });
    const git = spawnSync("git", ["-C", this.repo, "init", "--quiet", "--initial-branch=main"]);
    if (git.status !== 0) throw new Error(String(git.stderr));
    const world = realWorld();
    const bare = new Map<AgentSpec["use"], AgentDriver>([
      ["claude", headlessDriver(claudeAgent, { world, folder: this.sessions })],
      ["tmux", tmuxDriver({ world, folder: this.sessions })],
    ]);
    const { find } = options;
    this.drivers = withSandbox(bare, {
      ...{
        agents: "auto",
        network: "all",
        hosts: options.hosts ?? [],
        limits: { processes: 4_096, memoryPct: 80, ...options.limits },
        read: [],
        sessions: this.sessions,
        git: sandboxGit(`${this.sessions}-sandbox`, world),
      },
      ...(find === undefined ? {} : { find }),
    });
  }

  in(name: string): string {
    return path.join(this.folder, name);
  }

  put(name: string, text: string): string {
    const file = this.in(name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  order(script: string, spec: Partial<AgentSpec> = {}): StartOrder {
    const session = `s${String((this.#count += 1))}`;
    const command = ["/bin/sh", "-c", script];
    const env = { HOME: this.home, ...spec.env };
    return {
      session,
      spec: { use: "claude", command, sandbox: "required", ...spec, env },
      ...{ run: "r", step: "s", attempt: session, number: 1, task: "do it", cwd: this.repo },
    };
  }

  driver({ spec }: Pick<StartOrder, "spec">): AgentDriver {
    const driver = this.drivers.get(spec.use);
    if (driver === undefined) throw new Error(spec.use);
    return driver;
  }

  start(order: StartOrder): Promise<StartOutcome> {
    return this.driver(order).start(order);
  }

  /** Starts an agent and hears it to its end. */
  async play(order: StartOrder): Promise<{ outcome: StartOutcome; exit: ExitSignal; heard: Signal[] }> {
    const outcome = await this.start(order);
    if (outcome.kind === "failed") throw new Error(outcome.text);
    return { outcome, ...(await this.receive(order)) };
  }

  receive(order: StartOrder): Promise<{ exit: ExitSignal; heard: Signal[] }> {
    const received: Signal[] = [];
    return new Promise((resolve) => {
      this.driver(order).listen(order, "", ({ signals }) => {
        received.push(...signals);
        const last = signals.at(-1);
        if (last?.kind === "exit") resolve({ exit: last, heard: received });
        return Promise.resolve();
      });
    });
  }

  async close(): Promise<void> {
    for (const driver of this.drivers.values()) await driver.close();
    const socket = socketOf(this.sessions);
    // With its folder it would lose the address at which it can be ended.
    if (existsSync(socket)) spawnSync("tmux", ["-S", socket, "kill-server"]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
