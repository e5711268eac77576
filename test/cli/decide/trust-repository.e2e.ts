import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { builtProgram } from "../../built-program.ts";
import { CliBench, pasted, type Ended } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(0);

const bench = new CliBench({
  "holdfast.yaml": JSON.stringify({
    agents: { dev: { use: "function", module: "./agent.mjs" } },
    hooks: [{ name: "noted", at: "before_dispatch", run: "sh hook.sh" }],
    backoff: { baseMs: 1, capMs: 1 },
  }),
  "hook.sh": "touch hooked; echo '{}'\n",
  "agent.mjs": 'export default () => "done";\n',
});
after(() => bench.close());

const DEV = { use: "function", module: "./agent.mjs" };
/** Without a hook: the agent itself is what is refused. */
const BARE = JSON.stringify({
  agents: { dev: { use: "function", module: "./agent.mjs" } },
  backoff: { baseMs: 1, capMs: 1 },
});

const read = (name: string): string => readFileSync(path.join(bench.cwd, name), "utf8");

async function written(file: string): Promise<void> {
  for (const until = Date.now() + 90_000; !existsSync(file); await delay(50))
    assert.ok(Date.now() < until, `${file} was not written`);
}

const UNTRUSTED = { env: { HOLDFAST_TRUST: "" } };
const call = (...words: string[]): Promise<Ended> => bench.call(words, UNTRUSTED);
const isHooked = (): boolean => existsSync(path.join(bench.cwd, "hooked"));

test("P3 P4 a script that has not trusted a repository exits 3 with the command, which works when pasted; a change is asked about again", async () => {
  const refused = await call("run", "g", "--agent", "dev", "--id", "s1", "--json");
  assert.equal(refused.code, 3, refused.stdout + refused.stderr);
  const { error } = JSON.parse(refused.stdout) as {
    error: { code: string; message: string; details: { command: string; untrusted: string[] } };
  };
  assert.equal(error.code, "untrusted");
  assert.deepEqual(error.details.untrusted, ["agents.dev", "hooks.noted", "file hook.sh", "file agent.mjs"]);
  assert.equal(isHooked(), false);
  const trusted = await call(...pasted(error.details.command));
  assert.equal(trusted.code, 0, trusted.stderr);
  assert.match(trusted.stdout, /new {6}hook {2}hooks\.noted/);
  const ran = await call("run", "g", "--agent", "dev", "--id", "s1");
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.equal(isHooked(), true);
  bench.write("hook.sh", "touch hooked twice; echo '{}'\n");
  rmSync(path.join(bench.cwd, "hooked"));
  const again = await call("run", "g", "--agent", "dev", "--id", "s2");
  assert.equal(again.code, 3);
  assert.match(again.stderr, /1 thing that is not trusted \(1 changed since you trusted it\): file hook\.sh/);
  const looked = await call("trust", "--show-diff", "--dry-run");
  assert.match(
    looked.stdout,
    /changed {2}file {2}file hook\.sh\n\s+-touch hooked; .*\n\s+\+touch hooked twice/,
  );
  assert.equal((await call("run", "g", "--agent", "dev", "--id", "s2", "--trust")).code, 0, "--trust grants");
  assert.equal((await call("run", "g", "--agent", "dev", "--id", "s3")).code, 0, "and it is kept");
});

/** The command line on a terminal of its own; `answer` is typed when it asks. */
function onTerminal(
  words: readonly string[],
  answer: string,
): Promise<{ code: number | null; text: string }> {
  const program = builtProgram(path.join(import.meta.dirname, "..", "run-cli.ts"));
  const line = [process.execPath, program, ...words].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    cwd: bench.cwd,
    env: {
      ...process.env,
      HOLDFAST_HOME: bench.home,
      HOLDFAST_WATCHDOG: "off",
      TERM: "xterm",
      HOLDFAST_TRUST: "",
    },
  });
  let text = "";
  let typed = false;
  child.stdout.on("data", (piece: Buffer) => {
    text += piece.toString();
    if (typed || !text.includes("[y/N]")) return;
    typed = true;
    child.stdin.write(`${answer}\r`);
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, text })));
}

test("P3 a terminal is shown what would be run and asked once; no answer but yes is an approval", async () => {
  bench.write("hook.sh", "touch hooked by terminal; echo '{}'\n");
  const words = ["run", "g", "--agent", "dev", "--id"];
  const no = await onTerminal([...words, "t1"], "n");
  assert.match(
    no.text,
    /changed {2}file {2}file hook\.sh[^]*\+touch hooked by terminal[^]*Trust this in .*\[y\/N\]/,
  );
  assert.equal(no.code, 3, no.text);
  const yes = await onTerminal([...words, "t1"], "y");
  assert.equal(yes.code, 0, yes.text);
  const again = await onTerminal([...words, "t2"], "n");
  assert.equal(again.code, 0, again.text);
  assert.doesNotMatch(again.text, /\[y\/N\]/);
});

for (const [agent, reason] of [
  ["dev", "hook_block"],
  ["bare", "protected_files"],
] as const)
  test(`P3 G4 a program that changes while its run lives is not started again: the run is blocked (${reason}), and its printed command lets it go on`, async () => {
    if (agent === "bare") bench.write("holdfast.yaml", BARE);
    bench.write(
      "agent.mjs",
      'import { appendFileSync } from "node:fs";\nexport default () => { appendFileSync("agent.mjs", "// changed\\n"); throw new Error("once"); };\n',
    );
    const words = ["run", "g", "--agent", "dev", "--id", `w-${agent}`];
    const ended = await bench.call([...words, "--trust"], UNTRUSTED);
    assert.equal(ended.code, 3, ended.stdout + ended.stderr);
    assert.match(ended.stdout, /blocked: .*not trusted as it is now: file agent\.mjs \(changed\)/);
    const { blocked } = await bench.json<{ blocked: { reason: string; command: string } }>([
      "status",
      `w-${agent}`,
    ]);
    assert.equal(blocked.reason, reason);
    bench.write("agent.mjs", 'export default () => "done";\n');
    const trusted = await call(...pasted(blocked.command));
    assert.equal(trusted.code, 0, trusted.stdout + trusted.stderr);
    assert.match(trusted.stdout, /changed {2}file {2}file agent\.mjs/);
    assert.equal((await call("trust", `w-${agent}`)).code, 0);
    await bench.reaches(`w-${agent}`, "completed");
  });

test("P3 G4 a command for worktrees that an agent has changed in its worktree is not run for the next attempt", async () => {
  for (const words of [
    ["init", "-q", "-b", "main"],
    ["add", "--all"],
    ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-q", "-m", "begin"],
  ])
    execFileSync("git", words, { cwd: bench.cwd });
  const canary = path.join(bench.root, "canary");
  bench.write("prepare.sh", "exit 0\n");
  bench.write(
    "spoils.json",
    JSON.stringify({
      attempts: [
        [
          { do: "write", file: "prepare.sh", content: `touch ${canary}\n` },
          { do: "exit", code: 1 },
        ],
        [{ do: "claim", ok: true, text: "done" }],
      ],
    }),
  );
  const agents = { dev: { use: "demo", script: "./spoils.json" } };
  const workspace = { isolation: "run", run: "sh ./prepare.sh" };
  bench.write("holdfast.yaml", JSON.stringify({ agents, workspace, backoff: { baseMs: 1, capMs: 1 } }));
  execFileSync("git", ["add", "--all"], { cwd: bench.cwd });
  const who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
  execFileSync("git", [...who, "commit", "-q", "-m", "more"], { cwd: bench.cwd });
  const ended = await bench.call(["run", "g", "--agent", "dev", "--id", "p1", "--trust"], UNTRUSTED);
  assert.equal(ended.code, 3, ended.stdout + ended.stderr);
  assert.match(ended.stdout, /not trusted as it is now: file prepare\.sh \(changed\)/);
  assert.equal(existsSync(canary), false);
  const { blocked } = await bench.json<{ blocked: { command: string } }>(["status", "p1"]);
  const trusted = await call(...pasted(blocked.command));
  assert.equal(trusted.code, 0, trusted.stdout + trusted.stderr);
  assert.equal((await call("trust", "p1")).code, 0);
  await bench.reaches("p1", "completed");
  assert.equal(existsSync(canary), true, "once a person has accepted it");
});

test(
  "P3 G4 an agent that removes every mark from its environment cannot grant trust, with trust, run or init",
  { skip: process.platform === "linux" ? false : "processes are followed by /proc" },
  async () => {
    const program = builtProgram(path.join(import.meta.dirname, "..", "run-cli.ts"));
    const calls = {
      trust: ["trust", "--yes"],
      run: ["run", "g", "--agent", "dev", "--id", "by-agent", "--trust"],
      init: ["init", "--force"],
    };
    const bare = ["env", "-i", `PATH=${process.env["PATH"] ?? ""}`, `HOLDFAST_HOME=${bench.home}`];
    const lines = Object.entries(calls).map(([name, words]) => {
      const line = [...bare, process.execPath, program, ...words].map((word) => `'${word}'`).join(" ");
      return `mkdir -p ${name}; cp agent.mjs holdfast.yaml ${name}/; (cd ${name} && ${line} > ../${name}.out 2>&1; echo $? > ../${name}.code) &`;
    });
    bench.write("attack.sh", `${lines.join("\n")}\nwait\nsleep 300\n`);
    const acp = { use: "acp", command: ["sh", path.join(bench.cwd, "attack.sh")] };
    bench.write(
      "holdfast.yaml",
      JSON.stringify({ ...(JSON.parse(BARE) as object), agents: { dev: DEV, acp } }),
    );
    const granted = (): string[] => readdirSync(path.join(bench.home, "trust")).sort();
    assert.equal((await call("trust", "--yes")).code, 0);
    const before = granted();
    const run = bench.start(["run", "attack", "--agent", "acp", "--id", "attacks", "--in-place"], UNTRUSTED);
    for (const name of Object.keys(calls)) await written(path.join(bench.cwd, `${name}.code`));
    await bench.call(["cancel", "attacks"]);
    await run.ended;
    const codes = Object.keys(calls).map((name) => read(`${name}.code`).trim());
    assert.deepEqual(
      codes,
      ["5", "5", "0"],
      Object.keys(calls)
        .map((name) => read(`${name}.out`))
        .join("\n"),
    );
    assert.match(read("trust.out"), /trust is a person's to grant, and this is an agent/);
    assert.deepEqual(granted(), before, "init has written its file, and trusted nothing");
  },
);

test("P3 J4 a command that is killed while it records trust leaves the trust before or after, and nothing in between", async () => {
  bench.write("holdfast.yaml", BARE);
  for (const [point, left] of [
    ["trust.record.before", 1],
    ["trust.record.drafted", 1],
    ["trust.record.after", 0],
  ] as const) {
    bench.write("agent.mjs", `export default () => "${point}";\n`);
    const env = { ...UNTRUSTED.env, HOLDFAST_CRASH_AT: `${point}#1` };
    assert.equal((await bench.call(["trust", "--yes"], { env })).signal, "SIGKILL", point);
    const { obeyed } = await bench.json<{ obeyed: unknown[] }>(["trust", "--dry-run"]);
    assert.equal(obeyed.length, left, point);
    assert.equal((await call("trust", "--yes")).code, 0);
  }
  const ran = await call("run", "g", "--agent", "dev", "--id", "after-kills");
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
});

test("P3 an agent at work cannot grant trust", async () => {
  bench.write("holdfast.yaml", BARE);
  bench.write("agent.mjs", 'export default () => "by an agent";\n');
  const env = { HOLDFAST_TRUST: "1", HOLDFAST_ATTEMPT: "work#1" };
  for (const words of [
    ["trust", "--yes"],
    ["run", "g", "--agent", "dev", "--trust"],
  ]) {
    const { code, stdout, stderr } = await bench.call(words, { env });
    assert.equal(code, 5, `${words.join(" ")}: ${stdout}${stderr}`);
    assert.match(stderr, /trust is a person's to grant, and this is an agent \(work#1\)/);
  }
});
