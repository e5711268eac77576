import assert from "node:assert/strict";
import { isAlive } from "../../cli/cli-process.ts";
import { EvidenceStage } from "./evidence-stage.ts";
import { takesTurns } from "../../turns.ts";

const { after, beforeEach, test } = takesTurns(2);

const stage = new EvidenceStage();
const { bench } = stage;
const git = (...args: string[]): string => stage.git(...args);
const leftPid = (): number => stage.leftPid();
beforeEach(() => stage.clear());
after(() => stage.close());

interface Status {
  readonly status: string;
  readonly reality: { readonly verdict: string; readonly digest?: string } | null;
  readonly blocked: { readonly detail: string } | null;
}

/** Goes on for a while after it has seen what it looks for. */
const CHECK = ["--check", "grep -q right answer.txt && touch checked && sleep 2"];

test("G6 W9 a process that an agent left in a session of its own is ended before evidence is taken, and what is committed is what was checked", async () => {
  const ended = await bench.call(["run", "it", "--agent", "leaver", ...CHECK, "--id", "left"]);
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  assert.equal(isAlive(leftPid()), false);
  assert.equal(git("show", "HEAD:answer.txt"), "right");
  const events = await bench.eventsOf("left");
  const leftovers = events.flatMap((event) =>
    event.type === "EffectSettled" && event.data.outcome.kind === "done"
      ? (event.data.outcome.leftovers ?? [])
      : [],
  );
  assert.ok(leftovers.flatMap(({ pids }) => pids).includes(leftPid()), JSON.stringify(leftovers));
  const { reality } = await bench.json<Status>(["status", "left"]);
  assert.equal(reality?.verdict, "READY");
  const [checked] = events.filter(({ type }) => type === "StepChecked");
  assert.equal(checked?.type === "StepChecked" && checked.data.tree, reality.digest);
});

test("G6 W9 a process that hides itself and goes on rewriting brings no evidence, commit or tag about, and the files are named", async () => {
  const before = [git("rev-parse", "HEAD"), git("tag", "--list")];
  const ended = await bench.call([
    "run",
    "it",
    "--agent",
    "hider",
    "--check",
    "test -s answer.txt; sleep 0.3",
    "--id",
    "hidden",
  ]);
  stage.endLeft();
  assert.notEqual(ended.code, 0, ended.stdout);
  const { status, blocked, reality } = await bench.json<Status>(["status", "hidden"]);
  assert.equal(status, "blocked");
  assert.match(blocked?.detail ?? "", /answer\.txt/);
  assert.notEqual(reality?.verdict, "READY");
  assert.deepEqual([git("rev-parse", "HEAD"), git("tag", "--list")], before);
});

test("G6 a reviewer that writes into the real tree by its path brings no acceptance about, and the file is named", async () => {
  const head = git("rev-parse", "HEAD");
  const order = ["run", "it", "--agent", "honest", "--check", "grep -q right answer.txt"];
  const ended = await bench.call([...order, "--reviewer", "meddler", "--id", "meddled"]);
  assert.notEqual(ended.code, 0, ended.stdout);
  const { status, blocked, reality } = await bench.json<Status>(["status", "meddled"]);
  assert.equal(status, "blocked");
  assert.match(blocked?.detail ?? "", /review by meddler[^]*answer\.txt/);
  assert.notEqual(reality?.verdict, "READY");
  assert.equal(git("rev-parse", "HEAD"), head);
});

test("G6 what a check writes itself counts only where it is declared; otherwise the files are named and nothing is committed", async () => {
  const flow = (writes: string) => `name: own
steps:
  - { name: make, task: make it, agent: honest, checks: [{ run: "date +%N >> report.txt && grep -q right answer.txt"${writes} }] }
`;
  bench.write("undeclared.yaml", flow(""));
  bench.write("declared.yaml", flow(", writes: [report.txt]"));
  git("add", "-A");
  git("commit", "-qm", "flows");
  const head = git("rev-parse", "HEAD");
  const refused = await bench.call(["run", "it", "--flow", "undeclared.yaml", "--id", "undeclared"]);
  assert.notEqual(refused.code, 0, refused.stdout);
  const { blocked } = await bench.json<Status>(["status", "undeclared"]);
  assert.match(blocked?.detail ?? "", /report\.txt/);
  assert.match(blocked?.detail ?? "", /`writes`/);
  assert.equal(git("rev-parse", "HEAD"), head);
  const declared = await bench.call(["run", "it", "--flow", "declared.yaml", "--id", "declared"]);
  assert.equal(declared.code, 0, declared.stdout + declared.stderr);
  assert.match(git("show", "HEAD:answer.txt"), /right/);
});

test("G6 a process that rewrites a file between the last evidence and the commit: nothing is committed, the evidence is outdated, and the step is checked again", async () => {
  stage.hold();
  const head = git("rev-parse", "HEAD");
  const order = ["run", "it", "--agent", "waiter", "--check", "grep -q right answer.txt"];
  const ended = await bench.call([...order, "--id", "outdated"]);
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  const events = await bench.eventsOf("outdated");
  const outdated = events.filter(({ type }) => type === "EvidenceOutdated");
  assert.equal(outdated.length, 1, JSON.stringify(events.map(({ type }) => type)));
  assert.match(JSON.stringify(outdated[0]), /answer\.txt/);
  const found = events.findIndex(({ type }) => type === "EvidenceOutdated");
  assert.ok(
    events.slice(found).some((event) => event.type === "StepChecked" && event.data.verdict === "fail"),
    "the rewritten file was checked again, and does not pass",
  );
  const versions = git("log", "--format=%H", `${head}..HEAD`, "--", "answer.txt").split("\n");
  for (const commit of versions) assert.equal(git("show", `${commit}:answer.txt`), "right");
  assert.equal(git("status", "--porcelain"), "");
});
