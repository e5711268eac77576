import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(4);

const TEST = 'grep -q "right" answer.txt\n';

/** Makes the test pass by changing the test, and claims that all is well. */
const CHEAT = {
  attempts: [
    [
      { do: "append", file: "answer.txt", line: "wrong" },
      { do: "write", file: "test.sh", content: "exit 0\n" },
      { do: "claim", ok: true, text: "all tests pass" },
    ],
  ],
};

/** Does its own part, and undoes what the step before it has shown. */
const flow = `name: two
steps:
  - { name: make, task: make it, agent: maker, checks: [{ run: "test -s made.txt" }] }
  - { name: tidy, task: tidy up, agent: breaker, needs: [make], checks: [{ run: "test -s tidy.txt" }] }
`;

const bench = new CliBench({
  "test.sh": TEST,
  "cheat.json": JSON.stringify(CHEAT),
  "claim.json": JSON.stringify({ attempts: [[{ do: "claim", ok: true, text: "all tests pass" }]] }),
  "agents.mjs": `import { appendFileSync, writeFileSync } from "node:fs";
import path from "node:path";
export async function makes({ cwd }) { appendFileSync(path.join(cwd, "made.txt"), "made\\n"); return "made"; }
export async function breaks({ cwd }) {
  writeFileSync(path.join(cwd, "made.txt"), "");
  appendFileSync(path.join(cwd, "tidy.txt"), "tidy\\n");
  return "tidy";
}
`,
  "two.yaml": flow,
  "holdfast.yaml": [
    "agents:",
    "  cheat: { use: demo, script: cheat.json }",
    "  claim: { use: demo, script: claim.json }",
    "  maker: { use: function, module: agents.mjs, export: makes }",
    "  breaker: { use: function, module: agents.mjs, export: breaks }",
    "backoff: { baseMs: 1, capMs: 1 }",
    "checks: { tries: 2 }",
    "protected: { paths: [test.sh] }",
    "",
  ].join("\n"),
});
after(() => bench.close());

interface Status {
  readonly status: string;
  readonly reality: { readonly verdict: string; readonly why: string } | null;
  readonly blocked: { readonly reason: string; readonly detail: string } | null;
}

test("G6 G7 W9 a check that is made to pass by editing the test is caught: the test is brought back and fails", async () => {
  const ended = await bench.call(["run", "it", "--agent", "cheat", "--check", "sh test.sh", "--id", "cheat"]);
  assert.equal(ended.code, 3, ended.stdout + ended.stderr);
  assert.equal(readFileSync(path.join(bench.cwd, "test.sh"), "utf8"), TEST);
  const { blocked } = await bench.json<Status>(["status", "cheat"]);
  assert.ok(["retries_exhausted", "protected_files"].includes(blocked?.reason ?? ""), blocked?.reason);
  const events = (await bench.call(["events", "cheat", "--type", "ProtectedFilesChanged", "--json"])).stdout;
  assert.match(events, /test\.sh/);
});

test("G7 a claim without evidence is shown as NEEDS WORK by status and report", async () => {
  assert.equal((await bench.call(["run", "it", "--agent", "claim", "--id", "claim"])).code, 0);
  const { status, reality } = await bench.json<Status>(["status", "claim"]);
  assert.equal(status, "completed");
  assert.equal(reality?.verdict, "NEEDS WORK");
  assert.match((await bench.call(["report", "claim"])).stdout, /reality check: NEEDS WORK/);
});

test("G7 evidence that a later step has broken does not hold at the end: NOT READY, tried again, then a person", async () => {
  const ended = await bench.call(["run", "--flow", "two.yaml", "--id", "broken"]);
  assert.equal(ended.code, 3, ended.stdout + ended.stderr);
  const { reality, blocked } = await bench.json<Status>(["status", "broken"]);
  assert.equal(reality?.verdict, "NOT READY");
  assert.match(blocked?.detail ?? "", /test -s made\.txt/);
  const checked = (await bench.call(["events", "broken", "--type", "RealityChecked", "--json"])).stdout;
  assert.equal(checked.trim().split("\n").length, 2);
  assert.match((await bench.call(["why", "broken"])).stdout, /NOT READY/);
});
