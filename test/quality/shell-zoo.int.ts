import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import type { Evidence } from "../../src/model/effects/evidence.ts";
import type { CheckOrder } from "../../src/quality/quality.ts";
import { aliveOf, openShellScene } from "./contract/shell-subject.ts";
import type { QualityScene } from "./contract/subject.ts";

let scene: QualityScene;
before(async () => {
  scene = await openShellScene();
});
after(() => scene.close());

let keys = 0;
async function check(command: string, more: Partial<CheckOrder> = {}): Promise<Evidence> {
  const key = `zoo-${String((keys += 1))}`;
  const order = { key, command, cwd: scene.folder, limitMs: 30_000, outputBytesMax: 100_000, env: {} };
  const evidence = await scene.quality.check({ ...order, ...more }, new AbortController().signal);
  assert.deepEqual(aliveOf(key), [], "something of the check was left");
  return evidence;
}

const sha256 = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");
const limit = { timeout: 60_000 };

/** Each row: a vice, a command that has it, and what must come of it. */
const zoo: [title: string, command: string, expected: Partial<Evidence>, said?: RegExp][] = [
  ["fails in the middle of a pipe, which the shell calls a success", "false | cat", { verdict: "pass" }],
  ["fails at the end of a pipe", "echo x | grep -q y", { verdict: "fail", exitCode: 1 }],
  [
    "exits before it reads what it is sent",
    "head -c 1000000 /dev/zero | true",
    { verdict: "pass", outputBytes: 0 },
  ],
  ["reads its standard input", "cat; echo end", { verdict: "pass", outputBytes: 4 }],
  [
    "closes its output and goes on",
    "exec >&- 2>&-; sleep 0.3; exit 4",
    { verdict: "fail", exitCode: 4, outputBytes: 0 },
  ],
  ["writes to /dev/stderr by name", "echo word >/dev/stderr", { verdict: "pass", outputBytes: 5 }],
  ["leaves a daemon in its group", "sleep 3600 & echo up", { verdict: "pass" }, /^up\n$/],
  [
    "leaves a daemon that holds no output",
    "sleep 3600 >/dev/null 2>&1 </dev/null & exit 2",
    { verdict: "fail", exitCode: 2 },
  ],
  [
    "leaves a daemon in a session of its own",
    "setsid sh -c 'trap \"\" TERM; sleep 3600' & sleep 0.1; exit 0",
    { verdict: "pass" },
  ],
  ["kills itself by a fault", "kill -SEGV $$", { verdict: "fail", signal: "SIGSEGV", exitCode: null }],
  [
    "is killed by somebody",
    "kill -KILL $$",
    { verdict: "unknown", signal: "SIGKILL", exitCode: null },
    /from outside by SIGKILL/,
  ],
  ["kills its whole group", "kill -KILL 0", { verdict: "unknown", signal: "SIGKILL" }],
  ["is not found", "no-such-command-at-all", { verdict: "unknown", exitCode: 127 }, /not found/],
  ["may not be run", "./", { verdict: "unknown", exitCode: 126 }, /could not be run/],
  ["is no shell at all", "if then (", { verdict: "fail", exitCode: 2 }],
  ["is empty", "", { verdict: "pass", outputBytes: 0 }],
  ["holds a NUL", "echo a\0b", { verdict: "unknown" }, /could not be started/],
];

for (const [title, command, expected, said] of zoo)
  test(`G6 a check that ${title}`, limit, async () => {
    const evidence = await check(command);
    const seen = Object.fromEntries(
      Object.keys(expected).map((key) => [key, evidence[key as keyof Evidence]]),
    );
    assert.deepEqual(seen, expected, evidence.excerpt);
    if (said !== undefined) assert.match(evidence.excerpt, said);
  });

test("G6 a check in a folder that does not exist is unknown and names the folder", limit, async () => {
  const cwd = path.join(scene.folder, "nowhere");
  const evidence = await check("true", { cwd });
  assert.equal(evidence.verdict, "unknown");
  assert.ok(evidence.excerpt.includes(`${cwd} does not exist`), evidence.excerpt);
});

test("G6 a command of any length that the system refuses is unknown", limit, async () => {
  const evidence = await check(`true ${"x".repeat(3_000_000)}`);
  assert.equal(evidence.verdict, "unknown");
});

test("G6 a flood until the limit neither fills memory nor outlives it", limit, async () => {
  const beforeBytes = process.memoryUsage.rss();
  const evidence = await check("trap '' TERM PIPE; while :; do yes; done", { limitMs: 1_500 });
  assert.deepEqual([evidence.verdict, evidence.timedOut], ["fail", true]);
  assert.ok(evidence.outputBytes > 50_000_000, `only ${String(evidence.outputBytes)} bytes were read`);
  const grownBytes = process.memoryUsage.rss() - beforeBytes;
  assert.ok(grownBytes < 150_000_000, `memory grew by ${String(grownBytes)} bytes`);
  assert.match(evidence.excerpt, /^y\ny\n[^]*bytes left out[^]*timed out: ended after 1500 ms/);
});

test("G6 one line of megabytes is cut like any other output", limit, async () => {
  const evidence = await check("head -c 5000000 /dev/zero | tr '\\0' x; printf END");
  assert.equal(evidence.outputBytes, 5_000_003);
  assert.equal(evidence.digest, sha256(`${"x".repeat(5_000_000)}END`));
  assert.ok(evidence.excerpt.length <= 4_096 && evidence.excerpt.endsWith("xEND"));
});

test("P3 bytes that are no text and words to the terminal do nothing in an excerpt", limit, async () => {
  const evidence = await check(
    `printf '\\377\\376 \\033[31mred\\033[0m \\033]0;title\\007 \\302\\233 bad\\r\\nnext'; head -c 2000 /dev/urandom`,
  );
  assert.equal(evidence.verdict, "pass");
  // eslint-disable-next-line no-control-regex -- that there is none is the point
  assert.doesNotMatch(evidence.excerpt, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  assert.match(evidence.excerpt, /^\ufffd\ufffd red ␛\]0;title␇ \\u\{9b\} bad\nnext/);
});

test("G6 the digest is of the bytes, not of the words shown", limit, async () => {
  const evidence = await check("head -c 70000 /dev/urandom | tee noise");
  assert.equal(evidence.digest, sha256(readFileSync(path.join(scene.folder, "noise"))));
  assert.equal(evidence.outputBytes, 70_000);
});

test("A5 a polite end is heeded before the firm one: what a check says then is kept", limit, async () => {
  const evidence = await check("trap 'echo tidied; exit 0' TERM; while :; do sleep 0.05; done", {
    limitMs: 700,
  });
  assert.deepEqual([evidence.verdict, evidence.timedOut, evidence.exitCode], ["fail", true, 0]);
  assert.match(evidence.excerpt, /tidied\n/);
});

test("P3 a check sees what was ordered and no secret of ours", limit, async () => {
  const ours = {
    SOME_API_KEY: "k1",
    GITHUB_TOKEN: "k2",
    HOLDFAST_CRASH_AT: "none#1",
    NODE_TEST_CONTEXT: "x",
    PLAIN: "unlisted",
    npm_config_plain: "p",
  };
  const had = Object.fromEntries(Object.keys(ours).map((name) => [name, process.env[name]]));
  Object.assign(process.env, ours);
  try {
    const command =
      'echo "$SOME_API_KEY|$GITHUB_TOKEN|$HOLDFAST_CRASH_AT|$NODE_TEST_CONTEXT|$PLAIN|$npm_config_plain|$HOLDFAST_RUN"';
    const evidence = await check(command, { env: { HOLDFAST_RUN: "run_1", GITHUB_TOKEN: "ordered" } });
    assert.equal(evidence.excerpt, "|ordered||||p|run_1\n");
  } finally {
    for (const [name, value] of Object.entries(had))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
});

test(
  "P5 a check that fails names the withheld variables that it speaks of, with the line that passes them",
  limit,
  async () => {
    process.env["ZOO_DATABASE_URL"] = "postgres://nobody.invalid/zoo";
    process.env["ZOO_OTHER"] = "never mentioned";
    try {
      const command = 'test -n "$ZOO_DATABASE_URL" || { echo "no database"; exit 1; }';
      const { excerpt } = await check(command);
      assert.match(excerpt, /ZOO_DATABASE_URL is set for the supervisor and withheld/);
      assert.match(excerpt, /env: \{ pass: \[ZOO_DATABASE_URL\] \}/);
      assert.doesNotMatch(excerpt, /ZOO_OTHER|nobody\.invalid/);
      assert.doesNotMatch((await check(`${command}; true`)).excerpt, /ZOO_OTHER/);
      const printed = await check('echo "set ZOO_OTHER first"; exit 1');
      assert.match(printed.excerpt, /pass: \[ZOO_OTHER\]/);
      const ordered = await check('echo "$ZOO_OTHER"; exit 1', { env: { ZOO_OTHER: "x" } });
      assert.doesNotMatch(ordered.excerpt, /withheld/);
    } finally {
      delete process.env["ZOO_DATABASE_URL"];
      delete process.env["ZOO_OTHER"];
    }
  },
);

test("G6 a check has no terminal and a session of its own", limit, async () => {
  const evidence = await check("exec 2>/dev/null; tty; ps -o sid= -p $$ | tr -d ' '; echo $$");
  const [tty, session, self] = evidence.excerpt.split("\n");
  assert.equal(tty, "not a tty");
  if (spawnSync("ps", ["-V"]).error === undefined) assert.equal(session, self);
});
