import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { noTmux } from "../agents/contract/tmux-subject.ts";
import { ApiBench } from "./api-bench.ts";
import { takesTurns } from "../turns.ts";

const { after, before, test } = takesTurns(0);

const actor = path.resolve(import.meta.dirname, "../agents/tmux/terminal-actor.mjs");
const claim = { do: "claim", ok: true, text: "done" };
const script = (acts: readonly unknown[]): string => JSON.stringify({ attempts: [acts] });
const bench = new ApiBench({
  "first.json": script([
    { do: "usage", usd: 0.25, tokensIn: 100, tokensOut: 20 },
    { do: "write", file: "one", content: "1\n" },
    { do: "write", file: "picture", content: "\u0000\u0001" },
    claim,
  ]),
  "second.json": script([{ do: "append", file: "one", line: "2" }, claim]),
  "flow.yaml":
    "name: two\nsteps:\n  - { name: first, task: write, agent: first }\n  - { name: second, task: write, agent: second, needs: [first] }\n",
  "holdfast.yaml": `supervisor: { idleExitMs: 300, scanMs: 100 }
startup: { termGraceMs: 300 }
workspace: { isolation: none }
agents:
  first: { use: demo, script: first.json }
  second: { use: demo, script: second.json }
  terminal: { use: tmux, command: ${JSON.stringify([process.execPath, actor, "hangs"])}, prompt: "^> $" }
`,
});

before(async () => {
  const git = (...args: string[]): unknown =>
    execFileSync("git", ["-C", bench.cli.cwd, "-c", "user.name=a", "-c", "user.email=a@b.invalid", ...args]);
  git("init", "-q", "-b", "work");
  git("add", "flow.yaml");
  git("commit", "-qm", "begin");
  const ended = await bench.cli.call(["run", "write", "--flow", "flow.yaml", "--id", "two-steps"]);
  assert.equal(ended.code, 0, ended.stderr);
  await bench.serve();
});
after(() => bench.close());

test("O1 the overview counts what is done today by how it ended, and what today costs, and a page of costs says the same", async () => {
  const view = await bench.client.getOverview({});
  assert.deepEqual(view.counts, { needs_you: 0, working: 0, waiting: 0, done: 1 });
  assert.deepEqual(view.doneToday, { completed: 0, unverified: 1, failed: 0, cancelled: 0 });
  assert.deepEqual(
    view.groups.done.map(({ run, end }) => [run, end]),
    [["two-steps", "unverified"]],
  );
  assert.deepEqual(view.cost, { usd: 0.25, tokens: 120, runs: 1, budget: null });
  const { days, today, unread } = await bench.client.listCosts({ query: { days: 7 } });
  assert.deepEqual([days.length, today.usd, today.day, unread], [7, 0.25, view.day, 0]);
});

test("O1 the steps of a run are a graph, and its owners are reported with their epochs", async () => {
  const { steps, count } = await bench.client.listSteps({ params: { run: "two-steps" } });
  assert.equal(count, 2);
  assert.deepEqual(
    steps.map(({ name, needs, status, usd }) => ({ name, needs, status, usd })),
    [
      { name: "first", needs: [], status: "succeeded", usd: 0.25 },
      { name: "second", needs: ["first"], status: "succeeded", usd: 0 },
    ],
  );
  const { owners } = await bench.client.listOwners({ params: { run: "two-steps" } });
  assert.deepEqual(
    owners.map(({ epoch, from, until }) => [epoch, from, until]),
    [[1, "nobody", null]],
  );
  const { health } = await bench.client.getHealth({ params: { run: "two-steps" } });
  assert.ok(health.every(({ evidence }) => evidence.length > 0));
});

test("O1 W2 files between two checkpoints come with their diffs, in pages, and what is no text is named as such", async () => {
  const { checkpoints } = (await bench.client.listCheckpoints({ params: { run: "two-steps" } })) as {
    checkpoints: { id: string }[];
  };
  const [from = "", to = ""] = [checkpoints[0]?.id, checkpoints.at(-1)?.id];
  const params = { run: "two-steps", from, to };
  const { files, count, next } = await bench.client.listFileDiffs({ params });
  assert.equal(next, null);
  assert.equal(count, files.length);
  const one = files.find((file) => file.path === "one");
  assert.match(one?.diff ?? "", /\+1\n\+2/);
  const picture = files.find((file) => file.path === "picture");
  assert.deepEqual([picture?.binary, picture?.diff, picture?.bytesAfter], [true, null, 2]);
  const paths: string[] = [];
  for (let behind: string | null | undefined; behind !== null;) {
    const page = await bench.client.listFileDiffs({ params, query: { limit: 1, after: behind } });
    paths.push(...page.files.map((file) => file.path));
    behind = page.next;
  }
  assert.deepEqual(
    paths,
    files.map((file) => file.path),
  );
  const only = await bench.client.listFileDiffs({ params, query: { path: "one" } });
  assert.deepEqual(
    only.files.map((file) => file.path),
    ["one"],
  );
});

test(
  "O1 A8 the screen of an agent's terminal is shown with its cursor, and a run without one is refused with the reason",
  { skip: noTmux },
  async () => {
    await assert.rejects(bench.client.getScreen({ params: { run: "two-steps" } }), /works just now/);
    assert.equal(
      (await bench.cli.call(["run", "look at me", "--agent", "terminal", "--id", "shown", "--detach"])).code,
      0,
    );
    await bench.cli.receives("shown", "> look at me");
    const screen = await bench.client.getScreen({ params: { run: "shown" } });
    assert.equal(screen.step, "work");
    assert.ok(
      screen.lines.some((line) => line.includes("look at me")),
      screen.lines.join("\n"),
    );
    const { groups } = await bench.client.getOverview({});
    assert.deepEqual(
      groups.working.map(({ run }) => run),
      ["shown"],
    );
    assert.equal((await bench.cli.call(["cancel", "shown"])).code, 0);
    await bench.cli.reaches("shown", "cancelled");
  },
);

test("O1 what runs share is listed with those that wait for it", async () => {
  const { incidents, shared } = await bench.client.listIncidents({});
  assert.deepEqual(incidents, []);
  assert.ok(shared.every(({ state, waiting }) => state === "fine" && waiting.length === 0));
});
