import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CliBench, isAlive, pasted } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(5);

const claim = { do: "claim", ok: true, text: "done" };
const bench = new CliBench({
  "work.json": JSON.stringify({
    attempts: [[{ do: "write", file: "made.txt", content: "1\n" }, { do: "wait", file: "go" }, claim]],
  }),
  "flow.yaml": "name: flow\nsteps:\n  - { name: work, task: write, agent: dev }\n",
  "holdfast.yaml": `drift: { everyMs: 1000 }
workspace: { isolation: run }
agents:
  dev: { use: demo, script: work.json }
`,
});
after(() => bench.close());
const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    cwd: bench.cwd,
    encoding: "utf8",
  });

/** Commands are called from elsewhere: in the folder itself its configuration is asked for. */
const elsewhere = { cwd: bench.root };

async function treeOf(run: string): Promise<string> {
  for (;;) {
    const events = await bench.eventsOf(run);
    const made = events.flatMap(({ type, data }) => (type === "WorktreeCreated" ? [data.tree] : []));
    if (made[0] !== undefined && existsSync(path.join(made[0], "made.txt"))) return made[0];
    await delay(50);
  }
}

async function begin(run: string): Promise<number> {
  const words = ["run", "--flow", "flow.yaml", "--id", run, "--detach", "--json"];
  const ended = await bench.call(words);
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  return (JSON.parse(ended.stdout) as { supervisor: { pid: number } }).supervisor.pid;
}

function fifo(file: string): void {
  rmSync(file, { force: true });
  execFileSync("mkfifo", [file]);
}

test("J4 P4 FIFOs in the place of the configuration, of the flow and of a run's .gitignore stop neither the supervisor, nor its replacement, nor another run; the run itself is blocked by the file's name and goes on by the printed command", async () => {
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "begin");
  const supervisor = await begin("bad");
  await begin("good");
  const [bad, good] = [await treeOf("bad"), await treeOf("good")];
  for (const name of ["flow.yaml", "holdfast.yaml"]) fifo(path.join(bench.cwd, name));
  fifo(path.join(bad, ".gitignore"));
  const flow = path.join(bench.cwd, "flow.yaml");
  await bench.receives("good", "holdfast.yaml is a FIFO (named pipe)");
  process.kill(supervisor, "SIGKILL");
  while (isAlive(supervisor)) await delay(20);
  rmSync(path.join(bench.cwd, "holdfast.yaml"));
  symlinkSync("/dev/zero", path.join(bench.cwd, "holdfast.yaml"));
  const up = await bench.call(["up", "--detach", "--json"], elsewhere);
  assert.equal(up.code, 0, up.stderr);
  await bench.receives("good", "holdfast.yaml is a character device");
  for (const tree of [bad, good]) writeFileSync(path.join(tree, "go"), "");
  await bench.reaches("good", "completed");
  await bench.reaches("bad", "blocked");

  assert.equal((await bench.call(["status", "bad"])).code, 0, "what only reads needs no configuration");
  const here = await bench.call(["run", "more", "--agent", "demo"]);
  assert.equal(here.code, 2);
  assert.match(
    here.stderr,
    /the configuration .*holdfast\.yaml is a character device; expected a regular file/,
  );
  const reported = await bench.call(["status", "bad", "--json"], elsewhere);
  assert.equal(reported.code, 0, reported.stderr);
  const status = JSON.parse(reported.stdout) as {
    blocked: { reason: string; detail: string; command: string };
  };
  assert.equal(status.blocked.reason, "workspace_dirty");
  assert.ok(
    status.blocked.detail.includes(`${path.join(bad, ".gitignore")} is a FIFO`),
    status.blocked.detail,
  );
  rmSync(path.join(bad, ".gitignore"));
  rmSync(flow);
  const mended = await bench.call(pasted(status.blocked.command), elsewhere);
  assert.equal(mended.code, 0, mended.stderr);
  await bench.reaches("bad", "completed");
});
