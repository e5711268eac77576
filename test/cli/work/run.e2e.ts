import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { AGENTS } from "../agents.ts";
import { CliBench, pasted } from "../cli-process.ts";

const bench = new CliBench({
  "agents.mjs": AGENTS,
  "holdfast.yaml": "backoff: { baseMs: 1, capMs: 1 }\nstartup: { termGraceMs: 200 }\n",
});
after(() => bench.close());

const agent = (name: string): string[] => ["--agent", `function:agents.mjs#${name}`];

interface Status {
  readonly run: string;
  readonly status: string;
  readonly step: string | null;
  readonly attempt: number | null;
  readonly blocked: {
    reason: string;
    owner: string;
    command: string;
    attemptKept: boolean;
    guidance: string[];
  } | null;
  readonly health: { state: string; pattern: null; evidence: string[] };
  readonly position: number;
  readonly budget: object;
  readonly next: string | null;
  readonly result: unknown;
}

test("O1 a run in the foreground prints its story in plain lines, ends with 0 when completed, and says where to look next", async () => {
  const { code, stdout, stderr } = await bench.call(["run", "say hello", "--agent", "demo", "--id", "hello"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /says: I was asked: say hello/);
  assert.match(stdout, /hello is completed, unverified: no check was run/);
  assert.match(stdout, /why: holdfast why hello\n$/);
  assert.ok(existsSync(path.join(bench.cwd, "hello.txt")));
});

test("O1 with --json a run in front prints nothing but its final status", async () => {
  const status = await bench.json<Status>(["run", "g", ...agent("quick")]);
  assert.deepEqual([status.status, status.result], ["completed", { task: "g" }]);
  assert.match(status.run, /^run_/);
});

test("O1 a run that failed ends with 1", async () => {
  assert.equal((await bench.json<Status>(["run", "g", ...agent("hopeless")], 1)).status, "failed");
});

test("O1 G3 a blocked run ends with 3, and the command it prints works when pasted", async () => {
  const { code, stdout } = await bench.call(["run", "g", "--id", "stuck", ...agent("mendable")]);
  assert.equal(code, 3);
  const command = /it goes on with: (holdfast .*)/.exec(stdout)?.[1] ?? "";
  assert.equal(command, "holdfast retry stuck --step work");
  const status = await bench.json<Status>(["status", "stuck"]);
  assert.equal(status.blocked?.command, command);
  assert.deepEqual(
    [status.blocked?.reason, status.blocked?.owner, status.blocked?.attemptKept, status.blocked?.guidance],
    ["retries_exhausted", "human", false, []],
  );
  bench.write("mended", "");
  assert.equal((await bench.call(pasted(command))).code, 0);
  await bench.reaches("stuck", "completed");
});

test("G2 status --json of a run has the keys that programs rely on, and names no finished step as the current one", async () => {
  const status = await bench.json<Status>(["status", "hello"]);
  for (const key of ["run", "status", "health", "step", "attempt", "blocked", "position", "budget"])
    assert.ok(Object.hasOwn(status, key), key);
  assert.deepEqual([status.step, status.attempt, status.blocked], [null, null, null]);
  assert.equal(status.health.pattern, null);
});

test("O1 the id of a run that exists is refused with 5, and a flow with a circle with 2", async () => {
  assert.equal((await bench.call(["run", "g", "--id", "hello", "--agent", "demo"])).code, 5);
  bench.write(
    "circle.yaml",
    "name: c\nsteps:\n  - { name: a, task: x, agent: demo, needs: [b] }\n  - { name: b, task: x, agent: demo, needs: [a] }\n",
  );
  const { code, stderr } = await bench.call(["run", "--flow", "circle.yaml"]);
  assert.equal(code, 2);
  assert.match(stderr, /form a circle/);
});

test("P4 a wrong configuration stops every command that needs it with 2, and doctor reports it with 1", async () => {
  const wrong = new CliBench({ "holdfast.yaml": "atempts: {}\n" });
  const { code, stderr, stdout } = await wrong.call(["run", "g", "--agent", "demo", "--json"]);
  assert.equal(code, 2);
  assert.match(stderr, /holdfast\.yaml.*atempts.*did you mean "attempts"\?/);
  const document = JSON.parse(stdout) as {
    error: { code: string; details: { file: string; problems: string[] } };
  };
  assert.equal(document.error.code, "config_invalid");
  assert.equal(document.error.details.problems.length, 1);
  assert.equal(existsSync(wrong.store), false);
  const doctor = await wrong.json<{ ok: boolean; checks: { name: string; state: string; remedy: string }[] }>(
    ["doctor"],
    1,
  );
  assert.deepEqual(
    doctor.checks.filter(({ state }) => state === "fail").map(({ name }) => name),
    ["configuration"],
  );
  await wrong.close();
});

test("O1 what an agent says cannot reach the terminal as control characters", async () => {
  const { code, stdout } = await bench.call(["run", "g", ...agent("nasty"), "--id", "nasty"]);
  assert.equal(code, 0);
  assert.match(stdout, /␛\]0;title␇␛\[2J/);
  for (const args of [
    ["status", "nasty"],
    ["events", "nasty"],
    ["why", "nasty"],
    ["status", "nasty", "--json"],
  ]) {
    const text = stdout + (await bench.call(args)).stdout;
    // eslint-disable-next-line no-control-regex -- that there is none is the point
    assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/, args.join(" "));
  }
});

test("P4 J4 an agent's stray error ends its own attempts, and neither the command nor the supervisor", async () => {
  const { code, stdout, stderr } = await bench.call(["run", "g", ...agent("careless"), "--id", "careless"]);
  assert.equal(code, 3, stderr);
  assert.match(stdout, /careless is blocked: .*nobody waits for me/);
  assert.equal((await bench.call(["cancel", "careless"])).code, 0);
  await bench.reaches("careless", "cancelled");
});

test("O1 events are JSON Lines with the keys of the contract, and can be chosen by type and place", async () => {
  const all = (await bench.call(["events", "hello", "--json"])).stdout.trimEnd().split("\n");
  const events = all.map((line) => JSON.parse(line) as { seq: number; type: string });
  for (const event of events)
    assert.deepEqual(Object.keys(event), ["run", "seq", "at", "type", "data", "hash"]);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
  const some = await bench.call([
    "events",
    "hello",
    "--type",
    "StepSucceeded",
    "--type",
    "RunCompleted",
    "--json",
  ]);
  assert.equal(some.stdout.trimEnd().split("\n").length, 2);
  const late = await bench.call(["events", "hello", "--since", String(events.length - 1), "--json"]);
  assert.equal((JSON.parse(late.stdout) as { seq: number }).seq, events.length);
  const wrong = await bench.call(["events", "hello", "--type", "RunComplete"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /did you mean "RunCompleted"\?/);
});

test("O1 events --follow of an ended run ends by itself", async () => {
  const { code, stdout } = await bench.call(["events", "hello", "--follow", "--since", "99999"]);
  assert.deepEqual([code, stdout], [0, ""]);
});

test("G13 O1 why shows the causal chain of the state, and with --at that of an earlier one", async () => {
  const { chain } = await bench.json<{ chain: { seq: number; text: string; evidence: string[] }[] }>([
    "why",
    "hello",
  ]);
  assert.match(chain[0]?.text ?? "", /asked for: say hello/);
  assert.ok(chain[0]?.evidence[0]?.startsWith(`asked for by ${userInfo().username}, in `));
  assert.match(chain.at(-1)?.text ?? "", /completed/);
  const early = await bench.json<{ at: number; chain: { seq: number }[] }>(["why", "hello", "--at", "4"]);
  assert.equal(early.at, 4);
  assert.ok(early.chain.every(({ seq }) => seq <= 4));
  const reported = await bench.call(["why", "hello"]);
  assert.match(
    reported.stdout,
    /^hello is completed: every step succeeded \(event \d+\)[^]*exit code 0[^]*← \d+/,
  );
  const wrong = await bench.call(["why", "hello", "--at", "99999"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /--at 99999 is no event of hello; expected 1 to \d+/);
});

test("O1 a run may be named by the end or beginning of its id; an unknown one exits 4 and names the nearest", async () => {
  assert.equal((await bench.json<Status>(["status", "hell"])).run, "hello");
  assert.equal((await bench.json<Status>(["status", "ello"])).run, "hello");
  const document = await bench.json<{ error: { code: string; message: string } }>(["status", "helol"], 4);
  assert.match(document.error.message, /no run "helol".*nearest.*hello/);
  assert.equal((await bench.call(["pause", "nobody"])).code, 4);
});

test("O1 a reader that goes away ends a command quietly", async () => {
  const process = bench.start(["events", "hello", "--follow"]);
  process.child.stdout?.destroy();
  const { code, stderr } = await process.ended;
  assert.deepEqual([code, stderr], [0, ""]);
});

test("O1 commands carry the store where it is not the default one", async () => {
  const store = `sqlite:${path.join(bench.cwd, "my store.db")}`;
  const { stdout } = await bench.call(["run", "g", "--store", store, "--id", "there", ...agent("fails")]);
  const command = /it goes on with: (holdfast .*)/.exec(stdout)?.[1] ?? "";
  assert.deepEqual(pasted(command), ["retry", "there", "--step", "work", "--store", store]);
  const { status } = await bench.json<Status>(["status", "there", "--store", store]);
  assert.equal(status, "blocked");
});
