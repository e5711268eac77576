import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { validateFile } from "../../../src/cli/config/validate-file.ts";
import { findFlow } from "../../../src/cli/config/find-flow.ts";
import { runOrder } from "../../../src/cli/run/run-order.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { isFault } from "../../../src/model/fault.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import { CliBench } from "../cli-process.ts";

const FLOWS = path.resolve(import.meta.dirname, "../../../flows");
const NAMES = readdirSync(FLOWS).map((file) => path.parse(file).name);

const claim = { do: "claim", ok: true, text: "done" };
const assessed = (approved: boolean, findings: readonly string[]) => ({
  do: "write",
  file: "notes/{step}.json",
  content: JSON.stringify({ approved, findings }),
});

const bench = new CliBench({
  "package.json": JSON.stringify({ private: true, scripts: { test: "test -e green" } }),
  // Finds the cause at its second attempt.
  "fixer.json": JSON.stringify({
    attempts: [
      [{ do: "append", file: "tried", line: "{number}" }, claim],
      [{ do: "write", file: "green", content: "1" }, claim],
    ],
  }),
  "builder.json": JSON.stringify({
    attempts: [
      [
        { do: "append", file: "made", line: "{step}" },
        { do: "write", file: "notes/{step}.md", content: "x" },
        claim,
      ],
    ],
  }),
  "reviewer.json": JSON.stringify({
    attempts: [
      [{ do: "append", file: "asked-{step}", line: "{task}" }, assessed(false, ["no tests"]), claim],
    ],
  }),
  "holdfast.yaml": `backoff: { baseMs: 1, capMs: 1 }
agents:
  fixer: { use: demo, script: fixer.json }
  builder: { use: demo, script: builder.json }
  reviewer: { use: demo, script: reviewer.json }
`,
});
after(() => bench.close());

const eventsOf = async (run: string, of = bench): Promise<Recorded[]> =>
  (await of.call(["events", run, "--json"])).stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Recorded);

const doneOf = async (run: string, of = bench): Promise<string[]> =>
  (await eventsOf(run, of)).flatMap(({ type, data }) => (type === "StepSucceeded" ? [data.step] : []));

test("G17 each ready-made flow is valid, found by name, and bound to one agent for all its roles or to agents of their names", async () => {
  assert.deepEqual(NAMES.sort(), [
    "fix-ci",
    "plan-build-verify",
    "review-loop",
    "seven-stages",
    "single-goal",
  ]);
  const config = configSchema.parse({ agents: { builder: { use: "demo" }, other: { use: "demo" } } });
  for (const name of NAMES) {
    const file = findFlow(name, bench.cwd);
    assert.equal(path.dirname(file), FLOWS);
    const beside = { agent: "other", config: () => Promise.resolve(config) };
    assert.deepEqual((await validateFile(file, beside)).problems, [], name);
    const { flow } = runOrder({ goal: "a goal", flow: name, agent: "other" }, config, bench.cwd);
    for (const { role, agent } of flow.steps) assert.equal(agent, role === "builder" ? "builder" : "other");
  }
});

test("G17 fix-ci is done when what --check names passes, or else the tests that the project has", (t) => {
  const config = configSchema.parse({ agents: { one: { use: "demo" } } });
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-tests-of-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const checked = (...check: readonly string[]): string[] =>
    runOrder({ goal: "x", flow: "fix-ci", check }, config, folder).flow.steps.flatMap(({ checks }) =>
      checks.map(({ run }) => run),
    );
  assert.throws(
    () => checked(),
    (error) =>
      isFault(error, "usage") && /no tests were found in .*expected --check COMMAND/.test(error.message),
  );
  for (const [file, text, command] of [
    ["Makefile", "all:\n\ntest: all\n", "make test"],
    ["pyproject.toml", "", "python3 -m pytest"],
    ["go.mod", "", "go test ./..."],
    ["Cargo.toml", "", "cargo test"],
    ["package.json", "not JSON", "cargo test"],
    ["package.json", '{"scripts":{"test":"node --test"}}', "npm test"],
    ["yarn.lock", "", "yarn test"],
    ["pnpm-lock.yaml", "", "pnpm test"],
  ] as const) {
    writeFileSync(path.join(folder, file), text);
    assert.deepEqual(checked(), [command], file);
  }
  assert.deepEqual(checked("sh ci.sh", "sh lint.sh"), ["sh ci.sh", "sh lint.sh"]);
});

test("G17 the gates of seven-stages run the project's tests or what --check names, and say where they run none", (t) => {
  const config = configSchema.parse({ agents: { one: { use: "demo" } } });
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-gates-of-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const warned: string[] = [];
  const runBy = (...check: readonly string[]) => {
    const warn = (text: string): number => warned.push(text);
    const { steps, phases } = runOrder({ goal: "x", flow: "seven-stages", check, warn }, config, folder).flow;
    const checks = steps.flatMap((step) => step.checks);
    assert.deepEqual(checks, [], "no stage before the tests is held to them");
    const ofGates = phases.map(({ gate }): [string, string[]] => [
      gate?.name ?? "",
      gate?.checks?.map(({ run }) => run).slice(1) ?? [],
    ]);
    return Object.fromEntries(ofGates);
  };
  const running = (run: readonly string[]) => ({
    ...{ understood: [], design: [], planned: [], reviewed: [] },
    ...{ built: run, tested: run, release: run },
  });
  assert.deepEqual(runBy(), running([]));
  assert.match(
    warned.join("\n"),
    /no tests were found in .*: the gates built, tested, release .* --check COMMAND/,
  );
  writeFileSync(path.join(folder, "package.json"), '{"scripts":{"test":"node --test"}}');
  assert.deepEqual(runBy(), running(["npm test"]));
  assert.deepEqual(runBy("sh ci.sh", "sh lint.sh"), running(["sh ci.sh", "sh lint.sh"]));
  assert.equal(warned.length, 1);
});

test("G17 a role that nobody has, and a name that no flow has, are reported with what to do", () => {
  const config = configSchema.parse({ agents: { one: { use: "demo" }, two: { use: "demo" } } });
  const saying = (text: RegExp) => (error: unknown) =>
    isFault(error, "config_invalid") && text.test(error.message);
  assert.throws(
    () => runOrder({ goal: "x", flow: "single-goal" }, config, bench.cwd),
    saying(
      /nobody has the role "worker"; expected an agent of that name .* or one for all roles with --agent/,
    ),
  );
  assert.throws(
    () => findFlow("seven-stage", bench.cwd),
    saying(
      /there is no flow "seven-stage"; .*fix-ci, plan-build-verify, review-loop, seven-stages.*did you mean "seven-stages"/s,
    ),
  );
});

describe("on the demo agents", () => {
  test("G17 single-goal and plan-build-verify come to their end; what was approved is not mended", async () => {
    for (const name of ["single-goal", "plan-build-verify"]) {
      const ran = await bench.call([
        "run",
        "write it",
        "--flow",
        name,
        "--agent",
        "demo:stages",
        "--id",
        name,
      ]);
      assert.equal(ran.code, 0, ran.stdout + ran.stderr);
    }
    assert.deepEqual(await doneOf("plan-build-verify"), ["plan", "build", "verify"]);
  });

  const alone = new CliBench();
  after(() => alone.close());

  test("G17 seven-stages stops at its two approvals and comes to its end", async () => {
    const id = "seven";
    const ran = await alone.call([
      "run",
      "write it",
      "--flow",
      "seven-stages",
      "--agent",
      "demo:stages",
      "--id",
      id,
    ]);
    assert.equal(ran.code, 3, ran.stdout + ran.stderr);
    assert.equal((await alone.call(["approve", id, "design"])).code, 0);
    await alone.receives(id, "phase:release");
    await alone.reaches(id, "awaiting_approval");
    assert.equal((await alone.call(["approve", id, "release"])).code, 0);
    await alone.reaches(id, "completed");
    assert.deepEqual(await doneOf(id, alone), [
      "intake",
      "design",
      "plan",
      "build",
      "test",
      "review",
      "release",
    ]);
    const passed = (await eventsOf(id, alone)).flatMap(({ type, data }) =>
      type === "GatePassed" ? [data.gate] : [],
    );
    assert.equal(passed.length, 7);
  });

  test("G17 fix-ci goes on until the checks are green", async () => {
    const ran = await bench.call(["run", "npm test fails", "--flow", "fix-ci", "--id", "ci"]);
    assert.equal(ran.code, 0, ran.stdout + ran.stderr);
    const verdicts = (await eventsOf("ci")).flatMap(({ type, data }) =>
      type === "StepChecked" ? [data.verdict] : [],
    );
    assert.deepEqual(verdicts, ["fail", "pass"]);
  });

  test("G17 review-loop mends what a reviewer finds and asks again, three times at most; then its gate stays shut", async () => {
    const ran = await bench.call(["run", "write it", "--flow", "review-loop", "--id", "loop"]);
    assert.equal(ran.code, 3, ran.stdout + ran.stderr);
    assert.deepEqual((await doneOf("loop")).slice(0, 6), [
      "build",
      "review-1",
      "mend-1",
      "review-2",
      "mend-2",
      "review-3",
    ]);
    const ended = await bench.call(["cancel", "loop"]);
    assert.equal(ended.code, 0, ended.stderr);
    bench.write("reviewer.json", JSON.stringify({ attempts: [[assessed(true, []), claim]] }));
    const again = await bench.call(["run", "write it", "--flow", "review-loop", "--id", "liked"]);
    assert.equal(again.code, 0, again.stdout + again.stderr);
    assert.deepEqual(await doneOf("liked"), ["build", "review-1"]);
  });
});
