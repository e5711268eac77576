import assert from "node:assert/strict";
import path from "node:path";
import type { Run } from "../../../src/loop/workflow-function.ts";
import type { Holdfast } from "../../../src/loop/holdfast.ts";
import type { BlockedReason } from "../../../src/model/requests/blocked.ts";
import { openHoldfast } from "../../../src/open-holdfast.ts";
import type { StatusView } from "../../../src/views/status/status.ts";
import { never, until } from "../../loop/loop-bench.ts";
import { CliBench, pasted } from "../cli-process.ts";
import { ELSEWHERE } from "../real-causes.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(5);

type Program = (run: Run) => Promise<unknown>;

const bench = new CliBench();
after(() => bench.close());
const store = `sqlite:${path.join(bench.root, "agents.db")}`;

/** As a process does it: what still works when it ends is cut off. */
async function inProcess(work: (hf: Holdfast) => Promise<void>): Promise<void> {
  const hf = await openHoldfast({ store });
  try {
    await work(hf);
  } finally {
    await hf.close();
  }
}

const statusOf = (run: string): Promise<StatusView> =>
  bench.json<StatusView>(["status", run, "--store", store]);

/** Pastes each choice of the table, each into a run of its own; answers the runs by the verb. */
async function pasteEach(reason: BlockedReason, bring: (runs: readonly string[]) => Promise<void>) {
  const ways = ELSEWHERE[reason]?.ways ?? assert.fail(reason);
  const runs = ways.map((_, at) => `${reason}-${String(at)}`);
  await bring(runs);
  const reported = new Map<string, { readonly run: string; readonly stdout: string }>();
  for (const [at, { verb, after }] of ways.entries()) {
    const run = runs[at] ?? "";
    const { blocked } = await statusOf(run);
    assert.equal(blocked?.reason, reason);
    assert.deepEqual(
      blocked.choices.map(({ command }) => verbOf(command)),
      ways.map((way) => way.verb),
      "the choices are those of the table",
    );
    const { code, stdout, stderr } = await bench.call(pasted(blocked.choices[at]?.command ?? ""));
    assert.equal(code, 0, `${verb}: ${stdout}${stderr}`);
    if (after === "blocked") assert.equal((await statusOf(run)).blocked?.reason, reason);
    reported.set(verb, { run, stdout });
  }
  return (verb: string) => reported.get(verb) ?? assert.fail(verb);
}

const verbOf = (command: string): string =>
  pasted(command)
    .filter((word, at) => at === 0 || /^--(done|again)$/.test(word))
    .join(" ");

const endsAs = async (run: string, status: string): Promise<void> =>
  assert.equal((await statusOf(run)).status, status);

test("G3 J6 each choice of a program whose step is in doubt leads where docs/recovery.md says", async () => {
  let paid = 0;
  let hangs = true;
  const program: Program = (run) =>
    run.step("pay", () => ((paid += 1), hangs ? never<string>() : `receipt ${String(paid)}`), {
      effect: "once",
    });
  const reported = await pasteEach("in_doubt", async (runs) => {
    await inProcess(async (hf) => {
      for (const run of runs) hf.run(run, program).catch(() => undefined);
      await until(() => paid === runs.length);
    });
    hangs = false;
    await inProcess(async (hf) => {
      for (const run of runs) hf.run(run, program).catch(() => undefined);
      for (const run of runs) await until(async () => (await statusOf(run)).status === "blocked");
    });
  });
  const before = paid;
  await inProcess(async (hf) => {
    assert.equal(await hf.run(reported("settle --done").run, program), null);
    assert.equal(paid, before, "it is not paid twice");
    assert.equal(await hf.run(reported("settle --again").run, program), `receipt ${String(before + 1)}`);
    await assert.rejects(hf.run(reported("cancel").run, program), /cancelled/);
  });
  await endsAs(reported("settle --done").run, "completed");
  await endsAs(reported("settle --again").run, "completed");
  await endsAs(reported("cancel").run, "cancelled");
});

test("G3 J10 each choice of a program that has diverged leads where docs/recovery.md says", async () => {
  let begun = 0;
  const first: Program = async (run) => {
    await run.step("pay", () => "paid", { effect: "once" });
    begun += 1;
    return run.step("report", () => never<string>());
  };
  const changed: Program = (run) => run.step("pay-now", () => "paid now", { effect: "once" });
  const reported = await pasteEach("diverged", async (runs) => {
    await inProcess(async (hf) => {
      for (const run of runs) hf.run(run, first).catch(() => undefined);
      await until(() => begun === runs.length);
    });
    await inProcess(async (hf) => {
      for (const run of runs) await assert.rejects(hf.run(run, changed), /pay-now/);
    });
  });
  const { stdout } = reported("fork");
  const forked = stdout.split(":")[0] ?? "";
  await inProcess(async (hf) => {
    assert.equal(await hf.run(forked, changed), "paid now");
    await assert.rejects(hf.run(reported("cancel").run, first), /cancelled/);
  });
  await endsAs(forked, "completed");
  await endsAs(reported("cancel").run, "cancelled");
});
