/** The first hour of a new user, without the trust that other tests of the command line are given. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CliBench, type Ended } from "./cli-process.ts";
import { takesTurns } from "../turns.ts";

const { after, before, test } = takesTurns(4);

const FIX = "export const add = (a, b) => a + b;\n";
const bench = new CliBench({
  "package.json": JSON.stringify({ name: "sum", type: "module", scripts: { test: "node check.js" } }),
  "add.js": "export const add = (a, b) => a - b;\n",
  "check.js": 'import { add } from "./add.js"; if (add(1, 2) !== 3) process.exit(1);\n',
  "agent.ts": `import { writeFileSync } from "node:fs";
export default async ({ cwd }: { cwd: string }): Promise<string> => {
  console.log("hello from the function");
  writeFileSync("add.js", ${JSON.stringify(FIX)});
  return "mended";
};
`,
});

/** As a person calls it: nothing is trusted beforehand. */
const call = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
  bench.call(args, { env: { HOLDFAST_TRUST: "", ...env } });
const git = (...args: string[]): string =>
  execFileSync("git", ["-C", bench.cwd, "-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
    encoding: "utf8",
  });
const runsOf = async (): Promise<string[]> =>
  (await bench.json<{ runs: { run: string }[] }>(["runs"])).runs.map(({ run }) => run);

before(() => {
  git("init", "--quiet", "--initial-branch=main");
  git("add", "-A");
  git("commit", "--quiet", "--message=start");
});
after(() => bench.close());

test("P4 O1 what a look beforehand refuses makes no run: agents, programs, scripts, modules and checks", async () => {
  bench.write("broken.ts", "export default async (x: string => { return 1 };\n");
  bench.write("broken.json", '{"attempts": [[{"do": "dance"}]]}');
  const refused: [string[], RegExp][] = [
    [["--agent", "claud"], /no agent "claud"; did you mean "claude"\?/],
    [["--agent", "gemini"], /"gemini" was not found on .*npm install -g @google\/gemini-cli/],
    [["--agent", "demo:nope"], /script "nope" is neither bundled nor a readable JSON file/],
    [["--agent", "demo:./broken.json"], /broken\.json is not valid: attempts/],
    [["--agent", "function:./nope.ts"], /nope\.ts .*does not exist/],
    [["--agent", "function:./broken.ts"], /broken\.ts cannot be loaded: SyntaxError/],
    [["--agent", "demo", "--check", "no-such-check --all"], /program "no-such-check" was not found on PATH/],
  ];
  const env = { PATH: "/usr/bin:/bin" };
  for (const [words, expected] of refused) {
    const { code, stderr, stdout } = await call(["run", "mend it", ...words], env);
    assert.equal(code, 2, `${words.join(" ")}: ${stdout}${stderr}`);
    assert.match(stderr, expected);
  }
  assert.deepEqual(await runsOf(), []);
  for (const name of ["broken.ts", "broken.json"]) rmSync(path.join(bench.cwd, name));
});

test("P4 O1 a check that the work itself must make, or the shell's own, is no reason to refuse a run", async () => {
  const ran = await call(["run", "hello", "--agent", "demo", "--check", "true", "--id", "hello"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
});

test("P4 O1 a mistake in a configuration keeps nobody from looking at runs or ending them", async () => {
  const host = path.join(bench.home, "holdfast.yaml");
  const own = path.join(bench.cwd, "holdfast.yaml");
  writeFileSync(host, "leese: { ms: 20000 }\nrequests: { answerWaitMs: 5000 }\n");
  writeFileSync(own, "agnets: {}\n");
  const calls = [["status"], ["runs"], ["watch", "--once"], ["inbox"], ["logs"], ["why", "hello"], ["down"]];
  for (const words of calls) {
    const { code, stdout, stderr } = await call(words);
    assert.equal(code, 0, `${words.join(" ")}: ${stdout}${stderr}`);
    assert.match(stderr, /holdfast\.yaml is not a valid configuration of the host: .*did you mean "lease"\?/);
  }
  assert.equal((await call(["cancel", "hello"])).code, 5);
  writeFileSync(host, "lease: {ms: [\n");
  assert.equal((await call(["status"])).code, 0);
  const run = await call(["run", "hello", "--agent", "demo"]);
  assert.equal(run.code, 2, "what begins work asks for it to be mended");
  for (const file of [host, own]) rmSync(file);
});

test("O1 with --json stdout holds one document, no matter what the code of a user prints, also for help and the version", async () => {
  bench.write(
    "loud.ts",
    'console.log("loud"); export default { name: "loud", steps: [{ name: "say", task: "t", agent: "demo" }] };\n',
  );
  const ran = await call(["run", "--flow", "./loud.ts", "--id", "loud", "--trust", "--json"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.equal((JSON.parse(ran.stdout) as { run: string }).run, "loud");
  assert.match(ran.stderr, /^loud$/m);
  const { version } = await bench.json<{ version: string }>(["--version"]);
  assert.match(version, /^\d+\.\d+\.\d+/);
  const help = await bench.json<{ command: string; options: { flags: string }[] }>(["help", "run"]);
  assert.equal(help.command, "holdfast run");
  assert.ok(help.options.some(({ flags }) => flags.startsWith("--agent")));
  const all = await bench.json<{ commands: { name: string }[] }>(["--help"]);
  assert.ok(all.commands.some(({ name }) => name === "status"));
  rmSync(path.join(bench.cwd, "loud.ts"));
});

test("O1 G2 to cancel a cancelled run is done already, and nobody at work is refused by name", async () => {
  await call(["run", "wait", "--agent", "manual", "--id", "gone", "--detach"]);
  const first = await call(["cancel", "gone"]);
  assert.equal(first.code, 0, first.stdout + first.stderr);
  await bench.reaches("gone", "cancelled");
  const again = await call(["cancel", "gone"]);
  assert.equal(again.code, 0, again.stdout + again.stderr);
  assert.match(again.stdout, /is cancelled already/);
  const attach = await call(["attach", "gone"]);
  assert.equal(attach.code, 5);
  assert.match(attach.stderr, /no agent of gone works just now: the run is cancelled/);
});

test("O1 A7 logs is a transcript that can be followed, cut and resumed without a gap or a line twice", async () => {
  const acts = [
    { do: "say", text: "I look around.\nThen I mend it." },
    { do: "tool", name: "edit", args: "add.js", result: "ok, 1 line" },
    { do: "claim", ok: true, text: "mended" },
  ];
  bench.write("talks.json", JSON.stringify({ attempts: [acts] }));
  const words = ["run", "talk", "--agent", "demo:./talks.json", "--approve", "completion", "--id", "talk"];
  const ran = await call(words);
  assert.equal(ran.code, 3, ran.stdout + ran.stderr);
  const transcript = await call(["logs", "talk"]);
  assert.match(
    transcript.stdout,
    /^I look around\.\nThen I mend it\.\n▸ edit .*add\.js.*\n {2}↳ ok, 1 line\n✓ mended\n$/,
  );
  assert.match((await call(["logs", "talk", "--raw"])).stdout, /^\{"/);
  assert.equal((await call(["logs", "talk", "-n", "1"])).stdout, "✓ mended\n");
  const read = async (...more: string[]): Promise<{ text: string; cursor: string }[]> =>
    (await call(["logs", "talk", "--json", ...more])).stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { text: string; cursor: string });
  const all = await read();
  const middle = all[1]?.cursor ?? "";
  assert.deepEqual(
    [...all.slice(0, 2), ...(await read("--cursor", middle))].map(({ text }) => text),
    all.map(({ text }) => text),
  );
  assert.equal((await call(["logs", "talk", "--cursor", "nonsense"])).code, 2);
});

test("O1 G2 where one run is obvious it need not be named, and following ends where the run waits", async () => {
  for (const words of [
    ["logs", "-f"],
    ["events", "-f"],
  ]) {
    const followed = await call(words);
    assert.equal(followed.code, 3, followed.stdout + followed.stderr);
    assert.match(followed.stderr, /talk is awaiting approval: .*\ncontinue it with: holdfast approve talk/);
  }
  for (const words of [["why"], ["report"], ["checkpoints"], ["wait"]])
    assert.match((await call(words)).stdout, /talk|c1/, words.join(" "));
  const nothing = await call(["pause"]);
  assert.equal(nothing.code, 4);
  assert.match(nothing.stderr, /no run is queued, running or pausing; name the run/);
  const approved = await call(["approve"]);
  assert.equal(approved.code, 0, approved.stdout + approved.stderr);
  await bench.reaches("talk", "completed");
  for (const id of ["two-a", "two-b"])
    assert.equal(
      (
        await call([
          "run",
          "w",
          "--agent",
          "demo:./talks.json",
          "--approve",
          "completion",
          "--worktree",
          "--id",
          id,
        ])
      ).code,
      3,
    );
  const several = await call(["cancel"]);
  assert.equal(several.code, 2);
  assert.match(several.stderr, /which run\? 2 are .*two-b, two-a; name one of them/);
  assert.equal((await call(["cancel", "two-a"])).code, 0);
  await bench.reaches("two-a", "cancelled");
  assert.equal((await call(["cancel"])).code, 0);
  await bench.reaches("two-b", "cancelled");
});

test("O1 W3 what a run has changed is listed and shown as a diff, with the command that takes it", async () => {
  const words = [
    "run",
    "mend",
    "--agent",
    "function:./agent.ts",
    "--check",
    "npm test",
    "--id",
    "mend",
    "--worktree",
  ];
  const ran = await call(words);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match(
    ran.stdout,
    /work: 1 file changed on branch holdfast\/mend, not in your branch yet\nfiles: add\.js/,
  );
  const status = await call(["status", "mend"]);
  assert.match(status.stdout, /^see it +holdfast changes mend\ntake it +holdfast accept mend$/m);
  const { work } = await bench.json<{ work: { changed: string[]; accepted: boolean } }>(["status", "mend"]);
  assert.deepEqual([work.changed, work.accepted], [["add.js"], false]);
  const changes = await call(["changes", "mend"]);
  assert.equal(
    changes.stdout,
    "--- a/add.js\n+++ b/add.js\n@@ -1,1 +1,1 @@\n-export const add = (a, b) => a - b;\n+export const add = (a, b) => a + b;\n",
  );
  assert.equal((await call(["changes", "mend", "--stat"])).stdout, "modified add.js\n");
  assert.equal((await call(["changes", "mend", "c99"])).code, 4);
  const accepted = await call(["accept", "mend"]);
  assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr);
  assert.equal(git("show", "HEAD:add.js"), FIX);
  assert.match((await call(["status", "mend"])).stdout, /1 file changed and accepted into your branch/);
});

test("O1 runs shows where each run works, with which agent, and lists only those asked for", async () => {
  const table = await call(["runs"]);
  assert.match(table.stdout, /^RUN +STATUS +CHANGED +REPOSITORY +AGENT +STEP +COST +OWNER +GOAL\n/);
  assert.match(table.stdout, /^mend +completed +\d+ \S+.* ago +work +function +- +- +- +mend$/m);
  assert.match(table.stdout, /^loud +completed, unverified +/m);
  const listed = async (...words: string[]): Promise<string[]> =>
    (await bench.json<{ runs: { run: string }[] }>(["runs", ...words])).runs.map(({ run }) => run);
  assert.deepEqual(await listed("--status", "cancelled", "--repo", "."), ["two-b", "two-a", "gone"]);
  assert.deepEqual(await listed("--repo", bench.home), []);
  assert.deepEqual(await listed("--since", "2100-01-01"), []);
  assert.ok((await listed("--since", "1h")).includes("hello"));
  assert.deepEqual(await listed("--blocked-by", "budget_exhausted"), []);
  const wrong = await call(["runs", "--status", "runing"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /--status is "runing"; did you mean "running"\?/);
  const absent = await call(["runs", "--store", "sqlite:./nowhere.db"]);
  assert.equal(absent.code, 4, absent.stdout + absent.stderr);
  assert.match(absent.stderr, /there is no store sqlite:.*nowhere\.db: the file does not exist/);
});

test("O6 init writes one screen that is right, times may be written as 4h, and each setting says where it is from", async () => {
  const made = await call(["init"]);
  assert.equal(made.code, 0, made.stdout + made.stderr);
  const file = path.join(bench.cwd, "holdfast.yaml");
  const text = readFileSync(file, "utf8");
  assert.ok(text.split("\n").length <= 40, text);
  assert.match(text, /checks: \["npm test"\]/);
  assert.equal((await call(["validate", "holdfast.yaml"])).code, 0);
  const opened = text
    .replace("agents: {}", "agents:")
    .replaceAll(/^# (?=(attempts|budget|approve|reality):| {2}[a-zA-Z]+: )/gm, "");
  writeFileSync(file, `$schema: ./holdfast.schema.json\n${opened}`);
  const valid = await call(["validate", "holdfast.yaml"]);
  assert.equal(valid.code, 0, `what is behind the comment signs is right too: ${valid.stdout}\n${opened}`);
  const { origins } = await bench.json<{ origins: { key: string; value: unknown; file: string | null }[] }>([
    "config",
    "show",
    "--origin",
  ]);
  const of = (key: string): unknown => origins.find((one) => one.key === key);
  assert.deepEqual(of("attempts.limitMs"), { key: "attempts.limitMs", value: 14_400_000, file });
  assert.deepEqual(of("attempts.atOnce"), { key: "attempts.atOnce", value: 4, file: null });
  assert.match((await call(["init", "--all", "--print"])).stdout, /^# {3}sameFailure: 2$/m);
});

test("O6 Bash completes run ids, agents and checkpoints from what is here", async () => {
  const { stdout: script } = await call(["completion", "bash"]);
  const words = async (kind: string): Promise<string> => (await call(["completion", "--words", kind])).stdout;
  assert.match(await words("runs"), /^mend$/m);
  assert.match(await words("agents"), /^claude$/m);
  assert.match(await words("checkpoints:mend"), /^c\d+$/m);
  assert.equal((await call(["completion", "--words", "nonsense"])).code, 2);
  // The script calls the program once for each; what that answers is seen above.
  const program =
    'holdfast() { case "$3" in runs) echo mend talk ;; agents) echo claude ;; *) echo "c1-of-$3" ;; esac; }';
  const offered = (...typed: string[]): string[] =>
    execFileSync(
      "bash",
      [
        "-c",
        `${program}\n${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`,
        ...["bash", "holdfast", ...typed],
      ],
      { encoding: "utf8" },
    )
      .split("\n")
      .filter(Boolean);
  assert.deepEqual(offered("status", "me"), ["mend"]);
  assert.deepEqual(offered("run", "goal", "--agent", "cl"), ["claude"]);
  assert.deepEqual(offered("restore", "mend", "c"), ["c1-of-checkpoints:mend"]);
  assert.deepEqual(offered("runs", "me"), []);
});
