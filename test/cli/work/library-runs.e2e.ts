import assert from "node:assert/strict";
import path from "node:path";
import type { Run } from "../../../src/loop/workflow-function.ts";
import { openHoldfast } from "../../../src/open-holdfast.ts";
import { never, until } from "../../loop/loop-bench.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(5);

const bench = new CliBench();
after(() => bench.close());
const store = `sqlite:${path.join(bench.root, "agents.db")}`;
const call = (...words: string[]) => bench.call([...words, "--store", store]);
const json = async (...words: string[]): Promise<Record<string, never>> => {
  const { stdout, stderr, code } = await call(...words, "--json");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Record<string, never>;
};

interface Status {
  readonly status: string;
  readonly next: string | null;
  readonly blocked: {
    readonly choices: readonly { readonly command: string; readonly does: string }[];
  } | null;
  readonly tree: { readonly children: readonly { readonly name: string; readonly state: string }[] };
  readonly budget: { readonly total: Record<string, number>; readonly free: Record<string, number> };
}
const statusOf = async (run: string): Promise<Status> => (await json("status", run)) as unknown as Status;
const blocked = (run: string) => until(async () => (await statusOf(run)).status === "blocked");
/** The printed command as a shell reads it, without the leading word. */
const words = (command: string | null): string[] => (command ?? "").split(" ").slice(1);

test("J5 J8 a library run at work receives signals and raised budgets from the command line, and shows its tree", async () => {
  const hf = await openHoldfast({ store });
  try {
    const child = async (run: Run) => {
      const received = await run.waitFor<{ ok: boolean }>("approval", { timeout: "1h" });
      await run.step("work", () => run.budget.spend({ tokens: 150 }));
      return received.timedOut === true ? null : received.value.ok;
    };
    const body = async (run: Run) => [
      await run.spawn("reviewer", child, null),
      await run.step("after", () => "went on"),
    ];
    const pending = hf.run("r", body, { budget: { tokens: 100 } });
    await until(async () =>
      (await call("status", "r")).stdout.includes('reviewer: waiting for "approval" until'),
    );
    assert.deepEqual(
      (await statusOf("r")).tree.children.map(({ name, state }) => [name, state]),
      [["reviewer", "waiting"]],
    );
    const wrong = await call("signal", "r", "approval", "{ok");
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /the value \{ok is no JSON/);
    const deep = await call("signal", "r", "approval", `${"[".repeat(50_000)}${"]".repeat(50_000)}`);
    assert.deepEqual(
      [deep.code, /nested more than 1000 deep; send/.test(deep.stderr)],
      [2, true],
      deep.stderr,
    );
    assert.match(
      (await call("signal", "r", "approval", '{"ok":true}')).stdout,
      /signal "approval" is delivered/,
    );
    await blocked("r");
    const { next, budget } = await statusOf("r");
    assert.deepEqual([budget.total["tokens"], budget.free["tokens"]], [100, -50]);
    assert.match(next ?? "", /^holdfast set r budget\.tokens=300 --store /);
    const raised = await bench.call(words(next));
    assert.equal(raised.code, 0, raised.stderr);
    assert.deepEqual(await pending, [true, "went on"]);
    assert.match((await call("status", "r")).stdout, /150 of 300 tokens/);
  } finally {
    await hf.close();
  }
});

test("J6 a step in doubt is settled from the command line while no process works the run, by the command that status prints", async () => {
  const hf = await openHoldfast({ store });
  let paid = 0;
  let hang = true;
  const pay = (run: Run) =>
    run.step("pay", () => ((paid += 1), hang ? never<string>() : `receipt ${String(paid)}`), {
      effect: "once",
    });
  const body = (run: Run) => run.spawn("cashier", pay, null);
  for (const id of ["again", "done"]) hf.run(id, body).catch(() => undefined);
  await until(() => paid === 2);
  await hf.close();
  hang = false;
  const second = await openHoldfast({ store });
  for (const id of ["again", "done"]) second.run(id, body).catch(() => undefined);
  await blocked("again");
  await blocked("done");
  await second.close();
  const { next, blocked: found } = await statusOf("again");
  // What is printed first must not pay twice.
  assert.match(next ?? "", /^holdfast why again --store /);
  assert.equal((await bench.call(words(next))).code, 0);
  const again = found?.choices.find(({ does }) => does.startsWith("does it again"))?.command ?? null;
  assert.match(again ?? "", /^holdfast settle again spawn:cashier\/step:pay --again --store /);
  const stored = await bench.call(words(again));
  assert.equal(stored.code, 0, stored.stderr);
  assert.match(stored.stdout, /stored: no process runs it now; .*hf\.run\("again", …\)/);
  const both = await call("settle", "done", "step:pay");
  assert.deepEqual([both.code, /needs one of --done JSON/.test(both.stderr)], [2, true]);
  assert.equal((await call("settle", "done", "spawn:cashier/step:pay", "--done", '"receipt 0"')).code, 0);
  const third = await openHoldfast({ store });
  try {
    assert.equal(await third.run("again", body), "receipt 3");
    assert.equal(await third.run("done", body), "receipt 0");
    assert.equal(paid, 3);
  } finally {
    await third.close();
  }
});

test("J5 a library run is cancelled and tried again from the command line", async () => {
  const hf = await openHoldfast({ store });
  try {
    let begun = false;
    const body = async (run: Run) => {
      await run.step("first", () => 1);
      begun = true;
      await run.waitFor("go");
      return "done";
    };
    hf.define("patient", body);
    const pending = hf.run("c", body);
    await until(() => begun);
    const cancelled = assert.rejects(pending, /was cancelled/);
    assert.match((await call("cancel", "c")).stdout, /cancelling/);
    await cancelled;
    const { next } = await statusOf("c");
    const asked = await bench.call(words(next));
    assert.match(asked.stdout, /stored: .*hf\.resumeAll\(\) with the function "patient"/, asked.stderr);
    assert.deepEqual(await hf.resumeAll(), ["c"]);
    await call("signal", "c", "go");
    assert.equal(await hf.run("c", body), "done");
  } finally {
    await hf.close();
  }
});

test("J5 a signal to a run that does not exist, or that agents work, is refused with its reason", async () => {
  const nobody = await call("signal", "nobody-there", "x");
  assert.equal(nobody.code, 4);
  assert.match(nobody.stderr, /there is no run "nobody-there"/);
  assert.equal((await call("run", "say hello", "--agent", "demo", "--id", "agents-1")).code, 0);
  const agents = await call("signal", "agents-1", "x");
  assert.equal(agents.code, 5);
});
