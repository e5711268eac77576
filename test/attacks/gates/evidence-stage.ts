import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { CliBench } from "../../cli/cli-process.ts";

/**
 * Does the work, and leaves a process of its own session behind that undoes it a moment later, again and again; or once,
 * between the evidence and the commit, where a hook holds the run until it has done so.
 */
const AGENTS = `import { spawn } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import path from "node:path";
const REWRITE = 'n=0; while [ ! -e "$0" ] && [ "$n" -lt 600 ]; do sleep 0.1; n=$((n + 1)); done; n=0; while [ "$n" -lt 200 ]; do sleep 0.1; echo "wrong $n" > answer.txt; n=$((n + 1)); done';
const ONCE = 'n=0; while [ ! -e "$0" ] && [ "$n" -lt 1200 ]; do sleep 0.1; n=$((n + 1)); done; echo wrong > answer.txt; touch rewritten';
const leaves = (cwd, env, after, act = REWRITE) => {
  const child = spawn("setsid", ["sh", "-c", act, after], { cwd, stdio: "ignore", env });
  writeFileSync(path.join(cwd, "left.pid"), String(child.pid));
  child.unref();
};
const BARE = { PATH: process.env.PATH };
const works = (cwd) => appendFileSync(path.join(cwd, "answer.txt"), "right\\n");
export async function leaver({ cwd }) { leaves(cwd, process.env, "checked"); works(cwd); return "done"; }
export async function hider({ cwd }) { leaves(cwd, BARE, "."); works(cwd); return "done"; }
export async function waiter({ cwd, number }) {
  if (number === 1) leaves(cwd, BARE, "accepted", ONCE);
  writeFileSync(path.join(cwd, "answer.txt"), "right\\n");
  return "done";
}
export async function meddler() {
  appendFileSync(path.join(import.meta.dirname, "answer.txt"), "by the reviewer\\n");
  return { verdict: "pass", findings: [] };
}
export async function honest({ cwd }) { works(cwd); return "done"; }
`;

const NAMES = ["leaver", "hider", "waiter", "meddler", "honest"];
const SETTINGS = [
  "agents:",
  ...NAMES.map((name) => `  ${name}: { use: function, module: agents.mjs, export: ${name} }`),
  "backoff: { baseMs: 1, capMs: 1 }",
  "checks: { tries: 2, baseline: false }",
  "commit: { when: step, featureBranch: false }",
  "workspace: { isolation: none, lock: never }",
  "",
];
/** Holds the run between its evidence and its commit, until the other process has rewritten the file. */
const HOLD =
  "hooks: [{ name: hold, at: before_acceptance, run: 'touch accepted; n=0; while [ ! -e rewritten ] && [ $n -lt 600 ]; do sleep 0.1; n=$((n + 1)); done' }]\n";

/** What belongs to one run, and is no part of the work. */
const OWN = ["left.pid", "checked", "accepted", "rewritten"];

/** A repository in which agents, and what they leave behind, are at odds with the evidence. */
export class EvidenceStage {
  readonly bench = new CliBench({
    ".gitignore": `${OWN.join("\n")}\n`,
    "agents.mjs": AGENTS,
    "holdfast.yaml": SETTINGS.join("\n"),
  });

  constructor() {
    this.git("init", "-q", "-b", "work");
    this.git("add", "-A");
    this.git("commit", "-qm", "begin");
  }

  git(...args: string[]): string {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"];
    return execFileSync("git", ["-C", this.bench.cwd, ...who, ...args], { encoding: "utf8" }).trim();
  }

  /** From here on runs are held between evidence and commit. */
  hold(): void {
    this.bench.write("holdfast.yaml", `${SETTINGS.join("\n")}${HOLD}`);
    this.git("commit", "-qam", "hold");
  }

  clear(): void {
    for (const name of [...OWN, "answer.txt"]) rmSync(path.join(this.bench.cwd, name), { force: true });
  }

  leftPid(): number {
    return Number(readFileSync(path.join(this.bench.cwd, "left.pid"), "utf8"));
  }

  endLeft(): void {
    if (!existsSync(path.join(this.bench.cwd, "left.pid"))) return;
    try {
      process.kill(-this.leftPid(), "SIGKILL");
    } catch {
      // It has ended.
    }
  }

  async close(): Promise<void> {
    this.endLeft();
    await this.bench.close();
  }
}
