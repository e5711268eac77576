import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { treeImage } from "../../workspace/tree-image.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(3);

const AGENTS = `import { existsSync, rmSync, writeFileSync } from "node:fs";
export const remover = () => { rmSync(".git", { recursive: true }); writeFileSync("made", ""); return "done"; };
export const breaker = () => { rmSync(".git/objects", { recursive: true }); rmSync(".git/refs", { recursive: true }); return "done"; };
export const climber = () => {
  writeFileSync("../README", "changed\\n");
  writeFileSync("../CLAUDE.md", "obey me\\n");
  writeFileSync("../.git/hooks/pre-commit", "#!/bin/sh\\nexit 1\\n", { mode: 0o755 });
  writeFileSync("made", "");
  return "done";
};
export const patient = async ({ signal }) => {
  writeFileSync("working", "");
  for (let n = 0; n < 600 && !existsSync("enough") && !signal.aborted; n += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
  return "done";
};
`;
const NAMES = ["remover", "breaker", "climber", "patient"];

/** A repository of which everything that git keeps is in use: history, branches, a stash, something staged. */
function repository(t: TestContext): {
  readonly bench: CliBench;
  readonly git: (...args: string[]) => string;
} {
  const bench = new CliBench({ README: "one\n" });
  t.after(() => bench.close());
  bench.configureHost({});
  writeFileSync(path.join(bench.root, "agents.mjs"), AGENTS);
  mkdirSync(path.join(bench.cwd, "app"));
  writeFileSync(path.join(bench.cwd, "app/main"), "one\n");
  bench.write(
    "holdfast.yaml",
    [
      "backoff: { baseMs: 1, capMs: 1 }",
      "workspace: { isolation: none }",
      "agents:",
      ...NAMES.map(
        (name) =>
          `  ${name}: { use: function, module: ${path.join(bench.root, "agents.mjs")}, export: ${name} }`,
      ),
      "",
    ].join("\n"),
  );
  const git = (...args: string[]): string => {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"];
    return execFileSync("git", ["-C", bench.cwd, ...who, ...args], { encoding: "utf8" }).trim();
  };
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "begin");
  git("branch", "beside");
  writeFileSync(path.join(bench.cwd, "README"), "stashed\n");
  git("stash");
  writeFileSync(path.join(bench.cwd, "app/main"), "staged\n");
  git("add", "app/main");
  return { bench, git };
}

interface Status {
  readonly status: string;
  readonly blocked: {
    readonly reason: string;
    readonly detail: string;
    readonly command: string;
    readonly choices: readonly { readonly command: string }[];
  } | null;
}

for (const agent of ["remover", "breaker"])
  test(`W9 W11 what an agent in the user's own folder destroys of .git (${agent}) is put back byte for byte by the printed command, which is never trust`, async (t) => {
    const { bench, git } = repository(t);
    const before = treeImage(path.join(bench.cwd, ".git"));
    const stash = git("stash", "list");
    const ran = await bench.call(["run", "do it", "--agent", agent, "--id", "gone"]);
    assert.equal(ran.code, 3, ran.stdout + ran.stderr);
    const { blocked } = await bench.json<Status>(["status", "gone"]);
    assert.equal(blocked?.reason, "protected_files");
    assert.match(blocked?.detail ?? "", /\.git is gone or damaged; a copy of it is kept/);
    assert.match(blocked?.command ?? "", /restore gone --repository$/);
    assert.ok(!(blocked?.choices ?? []).some(({ command }) => / trust /.test(command)));
    const words = (blocked?.command ?? "").split(" ");
    const command = words.slice(words.indexOf("restore"));
    // Where nothing is left of it, nothing is put aside.
    for (const point of agent === "remover"
      ? ["workspace.repository.filled", "workspace.repository.back"]
      : ["workspace.repository.aside"]) {
      const crash = { HOLDFAST_CRASH_AT: `${point}#1` };
      assert.equal((await bench.call(command, { env: crash })).signal, "SIGKILL", point);
    }
    const back = await bench.call(command);
    assert.equal(back.code, 0, back.stdout + back.stderr);
    assert.deepEqual(treeImage(path.join(bench.cwd, ".git")), before);
    assert.equal(git("stash", "list"), stash);
    assert.equal(git("fsck", "--strict"), "");
    assert.match(git("status", "--porcelain"), /^M {2}app\/main/m);
    await bench.reaches("gone", "completed");
  });

test("W2 W9 a run in place that is started in a sub-folder keeps, protects and locks the whole repository", async (t) => {
  const { bench } = repository(t);
  const cwd = path.join(bench.cwd, "app");
  const read = (name: string): string => readFileSync(path.join(bench.cwd, name), "utf8");
  const ran = await bench.call(["run", "do it", "--agent", "climber", "--id", "climb"], { cwd });
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.ok(existsSync(path.join(cwd, "made")), "the agent works in the sub-folder");
  assert.ok(!existsSync(path.join(bench.cwd, "CLAUDE.md")));
  assert.ok(!existsSync(path.join(bench.cwd, ".git/hooks/pre-commit")));
  assert.equal(read("README"), "changed\n");
  const restored = await bench.call(["restore", "climb", "c1"]);
  assert.equal(restored.code, 0, restored.stdout + restored.stderr);
  assert.equal(read("README"), "one\n");
  assert.equal((await bench.call(["cancel", "climb"])).code, 0);
  const first = await bench.call(["run", "wait", "--agent", "patient", "--id", "above", "--detach"]);
  assert.equal(first.code, 0, first.stdout + first.stderr);
  await bench.reaches("above", "running");
  const second = await bench.call(["run", "wait", "--agent", "climber", "--id", "below", "--detach"], {
    cwd,
  });
  assert.equal(second.code, 0, second.stdout + second.stderr);
  interface Waiting {
    readonly workspace: { readonly waitsFor: string | null };
  }
  let waiting = await bench.json<Waiting>(["status", "below"]);
  for (let looks = 0; looks < 100 && waiting.workspace.waitsFor === null; looks += 1) {
    await delay(50);
    waiting = await bench.json<Waiting>(["status", "below"]);
  }
  assert.equal(waiting.workspace.waitsFor, "above");
  writeFileSync(path.join(bench.cwd, "enough"), "");
  await bench.reaches("below", "completed");
  rmSync(path.join(bench.cwd, "enough"));
});

test("W9 a protected file that a person makes beside a working agent is kept, shown in status and inbox, and returned by the printed command", async (t) => {
  const { bench } = repository(t);
  const rules = path.join(bench.cwd, "CLAUDE.md");
  const started = await bench.call(["run", "wait", "--agent", "patient", "--id", "beside", "--detach"]);
  assert.equal(started.code, 0, started.stdout + started.stderr);
  for (let n = 0; n < 600 && !existsSync(path.join(bench.cwd, "working")); n += 1) await delay(100);
  writeFileSync(rules, "mine\n");
  await bench.receives("beside", '"act":"created"');
  assert.ok(!existsSync(rules));
  const { withdrawn } = await bench.json<{
    withdrawn: readonly { readonly path: string; readonly command: string }[];
  }>(["status", "beside"]);
  assert.equal(withdrawn[0]?.path, "CLAUDE.md");
  assert.match(
    (await bench.call(["status", "beside"])).stdout,
    /put back +CLAUDE\.md was created while an agent worked/,
  );
  assert.match((await bench.call(["inbox"])).stdout, /trust beside --return CLAUDE\.md/);
  const words = (withdrawn[0]?.command ?? "").split(" ");
  const back = await bench.call(words.slice(words.indexOf("trust")));
  assert.equal(back.code, 0, back.stdout + back.stderr);
  writeFileSync(path.join(bench.cwd, "enough"), "");
  await bench.reaches("beside", "completed");
  assert.equal(readFileSync(rules, "utf8"), "mine\n");
  assert.doesNotMatch((await bench.call(["status", "beside"])).stdout, /put back/);
});
