import assert from "node:assert/strict";
import { after, test } from "node:test";
import { CliBench } from "../cli-process.ts";

/** Works a little more each time, and claims each time that all is done. */
const SCRIPT = {
  attempts: [
    [
      { do: "append", file: "tries", line: "{attempt}" },
      { do: "append", file: "told-{number}", line: "{task}" },
      { do: "claim", ok: true, text: "all tests pass" },
    ],
  ],
};

const bench = new CliBench({
  "script.json": JSON.stringify(SCRIPT),
  "nothing.json": JSON.stringify({ attempts: [[{ do: "exit", code: 0 }]] }),
  "holdfast.yaml": "backoff: { baseMs: 1, capMs: 1 }\n",
});
after(() => bench.close());

const check = 'n=$(wc -l < tries); echo "found $n of 3"; test "$n" -ge 3';

test("G6 a check that fails twice and then passes completes the run, with the feedback in the journal and in the task", async () => {
  const args = ["run", "make it three", "--agent", "demo:script.json", "--check", check, "--id", "checked"];
  const { code, stdout, stderr } = await bench.call(args);
  assert.equal(code, 0, stdout + stderr);
  const events = await bench.eventsOf("checked");
  const verdicts = events.flatMap((event) => (event.type === "StepChecked" ? [event.data.verdict] : []));
  assert.deepEqual(verdicts, ["fail", "fail", "pass"]);
  const feedback = events.flatMap((event) =>
    event.type === "StepChecked" ? [event.data.feedback ?? ""] : [],
  );
  assert.match(feedback[1] ?? "", /ended with exit code 1[^]*found 2 of 3/);
  const tasks = events.flatMap((event) =>
    event.type === "EffectIntended" && event.data.effect.kind === "StartAgent"
      ? [event.data.effect.task]
      : [],
  );
  assert.equal(tasks[0], "make it three");
  assert.match(tasks[2] ?? "", /Your last attempt did not pass[^]*found 2 of 3/);
  const evidence = events.flatMap((event) =>
    event.type === "EffectSettled" && event.data.outcome.kind === "done" ? [event.data.outcome.evidence] : [],
  );
  // Twice after an attempt, and once before the first.
  assert.equal(evidence.filter((found) => found?.verdict === "fail").length, 3);
});

test("G6 the third failed check stops the run for a person, and why names the check and what it printed", async () => {
  const never = [
    "run",
    "hopeless",
    "--agent",
    "demo:script.json",
    "--check",
    "echo no way; false",
    "--id",
    "hopeless",
  ];
  const { code, stdout } = await bench.call(never);
  assert.equal(code, 3);
  assert.match(stdout, /did not pass its checks 3 times/);
  const why = await bench.call(["why", "hopeless"]);
  assert.match(why.stdout, /no way/);
});

test("A5 exit code 0 with nothing done is not success", async () => {
  const { code } = await bench.call(["run", "g", "--agent", "demo:nothing.json", "--id", "nothing"]);
  assert.equal(code, 3);
  assert.equal((await bench.json<{ status: string }>(["status", "nothing"])).status, "blocked");
});

test("P4 an empty check and a budget that is no amount are refused with exit 2 before anything is begun", async () => {
  const empty = await bench.call(["run", "g", "--agent", "demo", "--check", " ", "--id", "empty"]);
  assert.equal(empty.code, 2);
  assert.match(empty.stderr, /--check " " is no command; expected one such as/);
  const budget = await bench.call(["run", "g", "--agent", "demo", "--budget", "lots", "--id", "budget"]);
  assert.equal(budget.code, 2);
  assert.match(budget.stderr, /--budget "lots" is no amount; expected dollars/);
  assert.equal((await bench.call(["status", "empty"])).code, 4);
});
