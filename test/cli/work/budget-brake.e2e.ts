import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { CliBench, pasted } from "../cli-process.ts";

/** A scripted agent that never ends by itself: one request each time, with its cost, and then a call. */
const endless = (args: (nth: number) => string): object => ({
  attempts: [
    Array.from({ length: 400 }, (_, nth) => [
      { do: "usage", tokensIn: 900, tokensOut: 100, usd: 0.01 },
      { do: "tool", name: "read", args: args(nth), result: `content of ${args(nth)}` },
      { do: "sleep", ms: 50 },
    ]).flat(),
    [{ do: "claim", ok: true, text: "done with more" }],
  ],
});

const LOOPS = { same: endless(() => "a.ts"), other: endless((nth) => `${String(nth)}.ts`) };
const BUDGETS = {
  usd: [{ usd: 0.1 }, /budget (exceeded|reached): \$0\.\d+ of \$0\.10/],
  tokens: [{ tokens: 10_000 }, /budget (exceeded|reached): 1\d,000 of 10,000 tokens/],
  turns: [{ turns: 10 }, /budget (exceeded|reached): \d+ of 10 turns/],
  time: [{ timeMs: 1_000 }, /budget (exceeded|reached): \S+ of 1s/],
} as const;

test("B2 budgets of money, tokens, turns and time brake an agent that loops or works for ever, and more continues it", async () => {
  const bench = new CliBench();
  try {
    const cells = (Object.keys(LOOPS) as (keyof typeof LOOPS)[]).flatMap((loop) =>
      Object.entries(BUDGETS).map(([kind, [budget, detail]]) => ({
        run: `${loop}-${kind}`,
        loop,
        budget,
        detail,
      })),
    );
    for (const { run, loop, budget } of cells) {
      // A folder of its own: a configuration that changes under an agent at work would be put back.
      const cwd = path.join(bench.root, run);
      mkdirSync(cwd);
      writeFileSync(path.join(cwd, "script.json"), JSON.stringify(LOOPS[loop]));
      const config = { budget, startup: { termGraceMs: 500 } };
      writeFileSync(path.join(cwd, "holdfast.yaml"), JSON.stringify(config));
      const words = ["run", "work", "--id", run, "--agent", "demo:./script.json", "--detach"];
      assert.equal((await bench.call(words, { cwd })).code, 0);
    }
    for (const { run, detail } of cells) {
      await bench.reaches(run, "blocked");
      const events = await bench.eventsOf(run);
      const blocked = events.flatMap((event) => (event.type === "RunBlocked" ? [event.data.blocked] : []))[0];
      assert.deepEqual([run, blocked?.reason], [run, "budget_exhausted"]);
      assert.match(blocked?.detail ?? "", detail, run);
    }
    const { blocked } = await bench.json<{ blocked: { command: string } }>(["status", "other-usd"]);
    assert.equal((await bench.call(pasted(blocked.command))).code, 0);
    await bench.reaches("other-usd", "completed");
  } finally {
    await bench.close();
  }
});
