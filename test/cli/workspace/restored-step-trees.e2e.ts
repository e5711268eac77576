import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { EventData, EventType } from "../../../src/model/events/events.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(5);

const bench = new CliBench({
  ".gitignore": "*.ignored\n",
  common: "begin\n",
  // The second one cannot be done before somebody lets it.
  "steps.ts": `import { appendFileSync, existsSync, writeFileSync } from "node:fs";
type Order = { readonly cwd: string; readonly step: string; readonly task: string };
export default ({ cwd, step, task }: Order) => {
  const root = cwd.replace(/\\/[^/]*$/, "");
  appendFileSync(root + "/task-of-" + step, task + "\\n");
  appendFileSync(cwd + "/common", step + "\\n");
  writeFileSync(cwd + "/" + step + ".ignored", "ignored\\n");
  if (step === "second" && !existsSync(root + "/go")) throw new Error("not yet");
  writeFileSync(cwd + "/" + step, step + "\\n");
  return "done";
};
`,
  "flow.yaml": `name: two
steps:
  - { name: first, task: write, agent: steps }
  - { name: second, task: write, agent: steps, needs: [first] }
`,
  "holdfast.yaml": `backoff: { baseMs: 1, capMs: 1 }
agents:
  steps: { use: function, module: steps.ts }
workspace: { isolation: attempt }
`,
});
after(() => bench.close());

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", bench.cwd, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
  }).trim();
const onBranch = (file: string): string => git("show", `holdfast/back:${file}`);

async function reported<Type extends EventType>(type: Type): Promise<EventData<Type>[]> {
  const events = await bench.eventsOf("back");
  return events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);
}

const treeOf = async (step: string | undefined): Promise<string> =>
  (await reported("WorktreeCreated")).findLast((one) => one.step === step)?.tree ?? "";

async function restore(checkpoint: string | undefined): Promise<EventData<"RunRestored">> {
  const before = (await reported("RunRestored")).length;
  const asked = await bench.call(["restore", "back", checkpoint ?? ""]);
  assert.equal(asked.code, 0, asked.stdout + asked.stderr);
  for (;;) {
    const last = (await reported("RunRestored"))[before];
    if (last !== undefined) return last;
    await delay(100);
  }
}

const stateOf = async (): Promise<string[]> => {
  const { steps } = await bench.json<{
    readonly steps: { readonly name: string; readonly status: string }[];
  }>(["status", "back"]);
  return steps.map(({ name, status }) => `${name} ${status}`);
};

before(() => {
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "begin");
});

test("W1 W3 a checkpoint of a step's worktree puts back that tree and that step alone, and what it has overwritten comes back the same way", async () => {
  const ran = await bench.call(["run", "--flow", "flow.yaml", "--id", "back"]);
  assert.notEqual(ran.code, 0, ran.stdout + ran.stderr);
  const tree = await treeOf("second");
  const inTree = (name: string): string => path.join(tree, name);
  const worked = readFileSync(inTree("common"), "utf8");
  assert.match(worked, /^begin\nfirst\nsecond\n/);
  writeFileSync(inTree("mine"), "a person's own\n");
  const line = git("rev-parse", "holdfast/back");

  const kept = (await reported("CheckpointTaken")).filter((one) => one.tree === tree);
  const put = await restore(kept[0]?.checkpoint);
  assert.deepEqual(put.reopened, []);
  assert.equal(readFileSync(inTree("common"), "utf8"), "begin\nfirst\n");
  assert.equal(existsSync(inTree("mine")), false);
  assert.deepEqual([git("rev-parse", "holdfast/back"), onBranch("first")], [line, "first"]);
  assert.deepEqual(await stateOf(), ["first succeeded", "second pending"]);

  const overwritten = (await reported("CheckpointTaken")).findLast(({ cause }) => cause === "before_restore");
  assert.equal(overwritten?.tree, tree);
  await restore(overwritten.checkpoint);
  assert.equal(readFileSync(inTree("common"), "utf8"), worked);
  assert.equal(readFileSync(inTree("mine"), "utf8"), "a person's own\n");
});

test("W1 W3 a checkpoint of the run's worktree puts back its line, which is committed, and the steps begin again from there in trees of their own", async () => {
  const tree = await treeOf(undefined);
  const left = await treeOf("second");
  const line = git("rev-parse", "holdfast/back");
  const first = (await reported("CheckpointTaken")).find((one) => one.tree === tree);
  const put = await restore(first?.checkpoint);
  assert.deepEqual(put.reopened, ["first"]);
  await bench.reaches("back", "paused");
  assert.equal(existsSync(path.join(tree, "first")), false);
  assert.equal(readFileSync(path.join(tree, "common"), "utf8"), "begin\n");
  assert.deepEqual(await stateOf(), ["first pending", "second pending"]);

  writeFileSync(path.join(path.dirname(tree), "go"), "");
  const resumed = await bench.call(["resume", "back"]);
  assert.equal(resumed.code, 0, resumed.stdout + resumed.stderr);
  await bench.reaches("back", "completed");
  // The line went on from where it was: nothing that was on it is gone.
  git("merge-base", "--is-ancestor", line, "holdfast/back");
  const [away = ""] = git("log", "--format=%H", "--diff-filter=D", "holdfast/back", "--", "first").split(
    "\n",
  );
  assert.equal(git("rev-parse", `${away}^`), line);
  assert.equal(onBranch("common"), "begin\nfirst\nsecond");
  assert.deepEqual([onBranch("first"), onBranch("second")], ["first", "second"]);
  assert.match(
    readFileSync(path.join(path.dirname(tree), "task-of-first"), "utf8"),
    /put back to how they were at/,
  );
  // The tree that the second had worked in was removed only once all of it was in a snapshot.
  const removed = (await reported("WorktreeRemoved")).filter((one) => one.tree === left);
  assert.equal(removed.length, 2);
  const workspace = await bench.call(["accept", "back"]);
  assert.equal(workspace.code, 0, workspace.stdout + workspace.stderr);
  assert.equal(readFileSync(path.join(bench.cwd, "common"), "utf8"), "begin\nfirst\nsecond\n");
});
