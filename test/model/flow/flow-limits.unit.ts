import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { validateFile } from "../../../src/cli/config/validate-file.ts";
import { runOrder } from "../../../src/cli/run/run-order.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { isFault } from "../../../src/model/fault.ts";
import { flowJsonSchema } from "../../../src/model/flow/flow-file.ts";
import { problemsBySchema } from "../../../src/model/values/json-schema.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-flow-limits-"));
after(() => rmSync(folder, { recursive: true }));

type Settings = Record<string, unknown>;

const configOf = (settings: Settings) =>
  configSchema.parse({ agents: { dev: { use: "claude" }, second: { use: "demo" } }, ...settings });

async function found(text: string, settings: Settings = {}) {
  const file = path.join(folder, "f.yaml");
  writeFileSync(file, text);
  const config = configOf(settings);
  return validateFile(file, { agent: undefined, config: () => Promise.resolve(config) });
}

/** Steps in a row, each with more keys of its own, from line 3 on. */
const flow = (steps: readonly string[], more = ""): string =>
  `name: f\nsteps:\n${steps.map((step, n) => `  - {name: s${String(n)}, task: t${n === 0 ? "" : `, needs: [s${String(n - 1)}]`}${step}}\n`).join("")}${more}`;

const SURE: readonly (readonly [what: string, text: string, settings: Settings, said: RegExp])[] = [
  [
    "more dollars for a step than the run has",
    flow([", agent: dev, budget: {usd: 10}"]),
    { budget: { usd: 5 } },
    /^line 3, column 51: "s0": it may use 10 usd, and the whole run only 5 usd: give the run as much, or the step less$/,
  ],
  [
    "more tokens for a step than the run has",
    flow([", agent: dev", ", agent: dev, budget: {tokens: 900}"]),
    { budget: { tokens: 500 } },
    /^line 4, column \d+: "s1": it may use 900 tokens, and the whole run only 500 tokens/,
  ],
  [
    "more turns for a step than the run has, whatever they are called",
    flow([", agent: second, budget: {iterations: 9}"]),
    { budget: { turns: 5 } },
    /^line 3, column \d+: "s0": it may use 9 turns, and the whole run only 5 turns/,
  ],
  [
    "more time at work for a step than the run may take",
    flow([", agent: dev, budget: {timeMs: 7200000}"]),
    { time: { runMs: 3_600_000 } },
    /"s0": it may use 2h of work, and the whole run may take 1h/,
  ],
  [
    "an attempt that may take longer than the run",
    flow([", agent: dev, limitMs: 7200000"]),
    { time: { runMs: 3_600_000 } },
    /^line 3, column 46: "s0": one attempt may take 2h, and the whole run 1h/,
  ],
  [
    "an attempt that may take longer than its phase",
    flow([", agent: dev, phase: p, limitMs: 7200000"], "phases: [{name: p, limitMs: 60000}]"),
    {},
    /"s0": one attempt may take 2h, and its whole phase "p" 1m/,
  ],
  [
    "a phase that may take longer than the run",
    flow([", agent: dev, phase: p"], "phases: [{name: p, limitMs: 7200000}]"),
    { time: { runMs: 3_600_000 } },
    /^line 4, column 29: "p": the phase may take 2h, and the whole run 1h/,
  ],
  [
    "fewer turns than steps that take one each",
    flow([", agent: dev", ", agent: second", ", agent: dev", ", agent: dev"]),
    { budget: { turns: 2 } },
    /^line 6, column \d+: "s3": the run may take 2 turns, and 3 of its steps take one each at the least/,
  ],
  [
    "a policy that stops a step below its budget",
    flow([", agent: dev, budget: {usd: 10}"]),
    { policies: [{ name: "cheap", then: "block", maxUsd: 2 }] },
    /^line 3, column 51: "s0": the policy "cheap" stops it at 2 usd, and its budget gives it 10/,
  ],
  [
    "a policy that allows too few turns in all attempts together",
    flow([", agent: dev, attemptsMax: 2, budget: {turns: 10}"]),
    { policies: [{ name: "short", then: "block", maxTurns: 4 }] },
    /"s0": the policy "short" stops it at 8 turns in all its attempts \(4 in one\), and its budget gives it 10/,
  ],
  [
    "a policy that forbids a step's agent",
    flow([", agent: dev"]),
    { policies: [{ name: "not-that", then: "block", forbidsAgent: "dev" }] },
    /^line 3, column 32: "s0": the policy "not-that" does not let "dev" do it/,
  ],
  [
    "a policy that waits for what comes later",
    flow([", agent: dev", ", agent: dev", ", agent: dev"]),
    { policies: [{ name: "first", then: "block", step: "s0", requires: { step: "s2" } }] },
    /^line 3, column 5: "s0": the policy "first" lets it begin only when "s2" is succeeded, which waits for it/,
  ],
  [
    "a policy that waits for no step",
    flow([", agent: dev"]),
    { policies: [{ name: "first", then: "block", requires: { step: "prepare" } }] },
    /"s0": the policy "first" lets it begin only when "prepare" is succeeded, which is no step/,
  ],
];

for (const [what, text, settings, said] of SURE)
  test(`G1 G9 a limit that cannot suffice is found before a run, by line and column: ${what}`, async () => {
    const { problems } = await found(text, settings);
    assert.equal(problems.length, 1, problems.join("\n"));
    assert.match(problems[0] ?? "", said);
  });

test("G1 G11 a policy that waits for a step which comes before is no dead end, however far before", async () => {
  const text = flow([", agent: dev", ", agent: dev", ", agent: dev", ", agent: dev"]);
  for (const step of ["s1", "s2", "s3"]) {
    const policies = [{ name: "first", then: "block", step, requires: { step: "s0" } }];
    assert.deepEqual((await found(text, { policies })).problems, [], step);
  }
});

const LIKELY: readonly (readonly [what: string, text: string, settings: Settings, said: RegExp])[] = [
  [
    "budgets of steps that come to more than the run has",
    flow([3, 3, 3].map((usd) => `, agent: dev, budget: {usd: ${String(usd)}}`)),
    { budget: { usd: 5 } },
    /^line 4, column \d+: "s1": the budgets of the flow's steps come to 9 usd, and the run has 5 usd/,
  ],
  [
    "steps that wait for each other and may take longer than the run",
    flow([", agent: dev, limitMs: 2400000", ", agent: dev, limitMs: 2400000"]),
    { time: { runMs: 3_600_000 } },
    /^line 4, column \d+: "s1": with the steps that it waits for it may take 80m, and the run 1h/,
  ],
  [
    "phases that may take longer than the run",
    flow(
      [", agent: dev, phase: p", ", agent: dev, phase: q"],
      "phases: [{name: p, limitMs: 2400000}, {name: q, limitMs: 2400000}]",
    ),
    { time: { runMs: 3_600_000 } },
    /"q": up to this one the phases may take 80m, and the run 1h/,
  ],
  [
    "a role that does more steps than it may begin in a row",
    flow([", agent: dev", ", agent: dev", ", agent: dev"]),
    { policies: [{ name: "turns", then: "block", sameInARow: 2 }] },
    /^line 5, column 5: "s2": the policy "turns" lets "dev" begin 2 times in a row, and it does all 3 steps/,
  ],
  [
    "a policy that asks about what a step is given",
    flow([", agent: dev, budget: {usd: 10}"]),
    { policies: [{ name: "cheap", then: "escalate", maxUsd: 2 }] },
    /the policy "cheap" stops it at 2 usd/,
  ],
];

for (const [what, text, settings, said] of LIKELY)
  test(`G1 G9 what is only likely to be too little is a warning and keeps nothing from running: ${what}`, async () => {
    const { problems, warnings } = await found(text, settings);
    assert.deepEqual(problems, []);
    assert.equal(warnings.length, 1, warnings.join("\n"));
    assert.match(warnings[0] ?? "", said);
    const reported: string[] = [];
    const wish = { goal: undefined, flow: "f.yaml", warn: (line: string) => reported.push(line) };
    runOrder(wish, configOf(settings), folder);
    assert.equal(reported.join("\n"), `${path.join(folder, "f.yaml")}: warning: ${warnings.join()}`);
  });

test("G1 G9 limits that fit, that only warn, or that may never be needed are not complained of", async () => {
  const given = flow([", agent: dev, budget: {usd: 3}, limitMs: 60000", ", agent: dev, budget: {usd: 2}"]);
  const fits = { budget: { usd: 5, turns: 2 }, time: { runMs: 3_600_000 } };
  const onlyWarns = { budget: { usd: 1, onExceed: "warn" } };
  const reports = { policies: [{ name: "p", then: "warn", forbidsAgent: "dev" }] };
  const skipped = flow([
    ", agent: dev, budget: {usd: 3}",
    ", agent: dev, budget: {usd: 3}, when: {step: s0, status: failed}",
  ]);
  for (const [text, settings] of [
    [given, fits],
    [given, onlyWarns],
    [given, reports],
    [skipped, fits],
    [flow([", agent: dev, budget: {usd: 9, onExceed: warn}"]), fits],
  ] as const) {
    const { problems, warnings } = await found(text, settings);
    assert.deepEqual([...problems, ...warnings], [], text);
  }
});

test("G1 G9 a run whose budget cannot suffice is not begun, and the file, line and column are reported", async () => {
  const text = flow([", agent: dev, budget: {usd: 10}"]);
  assert.deepEqual((await found(text)).problems, [], "without a budget of the run there is nothing wrong");
  assert.throws(
    () => runOrder({ goal: undefined, flow: "f.yaml", budget: "5" }, configOf({}), folder),
    (error) =>
      isFault(error, "config_invalid") &&
      error.message.startsWith(
        `${path.join(folder, "f.yaml")} cannot run: line 3, column 51: "s0": it may use 10`,
      ),
  );
});

const POLICIES = `policies:
  - {name: cheap, then: block, maxUsd: 2, step: s1}
  - {name: turns, then: warn, maxTurns: 30}
`;

test("G11 rules of a flow hold beside those of the configuration, each under a name of its own", async () => {
  const text = flow([", agent: dev", ", agent: dev"], POLICIES);
  assert.deepEqual((await found(text)).problems, []);
  const cheap = { name: "cheap", then: "warn", maxUsd: 1 };
  const { settings, flow: recorded } = runOrder(
    { goal: undefined, flow: "f.yaml" },
    configOf({ policies: [cheap] }),
    folder,
  );
  assert.deepEqual(settings.policies, [
    cheap,
    { name: "f/cheap", then: "block", maxUsd: 2, step: "s1" },
    { name: "turns", then: "warn", maxTurns: 30 },
  ]);
  assert.ok(!("policies" in recorded), "they stand in one place of the journal only");
});

const BROKEN: readonly (readonly [what: string, policies: string, said: RegExp])[] = [
  [
    "a key that is almost right",
    "policies:\n  - {name: a, then: block, maxUds: 2}",
    /line 6, column 28: policies\[0\]\.maxUds is not a key here; did you mean "maxUsd"/,
  ],
  [
    "two rules in one",
    "policies:\n  - {name: a, then: block, maxUsd: 2, maxTurns: 3}",
    /line 6, column 5: policies\[0\] is a mapping; expected exactly one of maxTurns/,
  ],
  [
    "a consequence that is none",
    "policies:\n  - {name: a, then: blok, maxUsd: 2}",
    /line 6, column 21: policies\[0\]\.then is "blok"; .*did you mean "block"/,
  ],
  [
    "a step that is none",
    "policies:\n  - {name: a, then: block, maxUsd: 2, step: s9}",
    /line 6, column 45: policies\[0\]\.step is "s9"; expected one of the flow's steps: s0, s1/,
  ],
  [
    "a role that is none",
    "policies:\n  - {name: a, then: block, maxUsd: 2, role: critic}",
    /policies\[0\]\.role is "critic"; expected one of the flow's roles: there are none/,
  ],
  [
    "a step to wait for that is none",
    "policies:\n  - {name: a, then: block, requires: {step: s9}}",
    /policies\[0\]\.requires\.step is "s9"; expected one of the flow's steps/,
  ],
  [
    "one name twice",
    "policies:\n  - {name: a, then: block, maxUsd: 2}\n  - {name: a, then: warn, maxUsd: 1}",
    /line 7, column 12: policies\[1\]\.name is "a"; another policy of the flow has that name/,
  ],
];

for (const [what, policies, said] of BROKEN)
  test(`G11 P4 what is wrong with a rule of a flow is reported by line and column: ${what}`, async () => {
    const { problems } = await found(flow([", agent: dev", ", agent: dev"], policies));
    assert.match(problems.join("\n"), said);
  });

test("G11 a rule of a flow may name a step that is still to be planned", async () => {
  const text = flow(
    [", agent: dev, plans: {}"],
    "policies: [{name: a, then: block, maxUsd: 2, step: later}]",
  );
  assert.deepEqual((await found(text)).problems, []);
});

test("G11 the JSON Schema of flows knows their rules", () => {
  const steps = [{ name: "a", task: "t", agent: "dev" }];
  const rules = (policy: unknown) =>
    problemsBySchema(flowJsonSchema(), { name: "f", steps, policies: [policy] });
  assert.deepEqual(rules({ name: "p", then: "block", maxUsd: 2 }), []);
  assert.notDeepEqual(rules({ name: "p", then: "block", maxUds: 2 }), []);
  assert.notDeepEqual(rules({ name: "p", then: "perish", maxUsd: 2 }), []);
});
