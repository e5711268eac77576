import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import type { AgentDriver, StartOrder } from "../../src/agents/agent-driver.ts";
import { claudeAgent } from "../../src/agents/claude/claude-agent.ts";
import { headlessDriver } from "../../src/agents/headless/headless-driver.ts";
import { findSandbox } from "../../src/agents/sandbox/find-sandbox.ts";
import { withSandbox } from "../../src/agents/sandbox/with-sandbox.ts";
import { sandboxGit } from "../../src/sandbox-git.ts";
import type { Bench, BenchContext, Findings } from "../harness/bench.ts";
import { realWorld } from "../../src/real-world.ts";
import { inTurns } from "../harness/rounds.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";
import { count } from "./growth.ts";

const world = realWorld();

export const sandboxBench: Bench = {
  name: "sandbox",
  title: "Agents in a sandbox",
  onlyWhenAsked: true,
  run,
};

const FILES = 2_000;

/** Writes, reads and removes small files, with programs of its own for a part of them. */
const FILE_WORK = `mkdir -p made
perl -e 'for (1..${String(FILES)}) { open(F, ">made/$_"); print F "x" x 2000; close F } for (1..${String(FILES)}) { open(F, "made/$_"); my @l = <F>; close F } unlink glob("made/*")'
i=0; while [ $i -lt 50 ]; do /bin/cat /etc/hostname >/dev/null; i=$((i+1)); done`;

async function run({ folder, quick, progress }: BenchContext): Promise<Findings> {
  const found = findSandbox();
  if (found.kind === "impossible")
    return { says: "", figures: [], ratios: [], skipped: `no sandbox is possible here: ${found.why}` };
  const stage = stageIn(realpathSync(folder));
  const rounds = quick ? 3 : 15;
  const ways = [
    ["none", "all"],
    ["required", "all"],
    ["required", "provider"],
  ] as const;
  const play = (script: string) =>
    ways.map(
      ([sandbox, network]) =>
        () =>
          stage.play(script, { sandbox, network }),
    );
  progress("starts");
  const [bareMs = [], insideMs = [], providerMs = []] = await inTurns(play("exit 0"), rounds);
  progress("file work");
  const [bareWorkMs = [], insideWorkMs = []] = await inTurns(play(FILE_WORK).slice(0, 2), rounds);
  await stage.close();
  return {
    says: `An agent (a shell) is started by its driver in a repository and heard to its end, with bubblewrap ${found.version} and without, by turns; ${String(rounds)} rounds. In a sandbox it has a git directory of its own, which is fetched from; with network: provider a proxy as well. The file work writes, reads and removes ${count(FILES)} files of 2 kB in the workspace and starts 50 programs; the start is part of it.`,
    figures: [
      { what: "start to end, without a sandbox", unit: "ms", spread: spreadOf(bareMs) },
      { what: "start to end, in a sandbox", unit: "ms", spread: spreadOf(insideMs) },
      { what: "start to end, in a sandbox with network: provider", unit: "ms", spread: spreadOf(providerMs) },
      { what: "file work, without a sandbox", unit: "ms", spread: spreadOf(bareWorkMs) },
      { what: "file work, in a sandbox", unit: "ms", spread: spreadOf(insideWorkMs) },
    ],
    ratios: [
      { what: "start: in a sandbox / without", spread: ratioOf(insideMs, bareMs) },
      { what: "file work: in a sandbox / without", spread: ratioOf(insideWorkMs, bareWorkMs) },
    ],
  };
}

function stageIn(folder: string) {
  const repo = path.join(folder, "home/repo");
  const sessions = path.join(folder, "state/store.sqlite-sessions");
  for (const one of [repo, sessions]) mkdirSync(one, { recursive: true });
  const git = (...words: string[]): unknown =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...words], { cwd: repo });
  git("init", "--quiet", "--initial-branch=main");
  git("commit", "--quiet", "--allow-empty", "-m", "one");
  const driver = withSandbox(
    new Map([["claude", headlessDriver(claudeAgent, { world, folder: sessions })]]),
    {
      ...{ agents: "none", network: "all", read: [], hosts: [], sessions },
      limits: { processes: 4_096, memoryPct: 80 },
      git: sandboxGit(`${sessions}-sandbox`, world),
    },
  ).get("claude") as AgentDriver;
  let played = 0;
  return {
    async play(script: string, wish: Pick<StartOrder["spec"], "sandbox" | "network">): Promise<number> {
      const session = `s${String((played += 1))}`;
      const order: StartOrder = {
        ...{ session, run: "r", step: "s", attempt: session, number: 1, task: "do it", cwd: repo },
        spec: {
          use: "claude",
          command: ["/bin/sh", "-c", script],
          ...wish,
          env: { HOME: path.join(folder, "home") },
        },
      };
      const beganMs = performance.now();
      const outcome = await driver.start(order);
      if (outcome.kind === "failed") throw new Error(outcome.text);
      await new Promise<void>((resolve) => {
        driver.listen(order, "", ({ signals }) => {
          if (signals.at(-1)?.kind === "exit") resolve();
          return Promise.resolve();
        });
      });
      const tookMs = performance.now() - beganMs;
      rmSync(path.join(repo, "made"), { recursive: true, force: true });
      return tookMs;
    },
    close: () => driver.close(),
  };
}
