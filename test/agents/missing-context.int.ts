import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { runOrder } from "../../src/cli/run/run-order.ts";
import { openSystem } from "../../src/main.ts";
import { configSchema } from "../../src/model/settings/config.ts";

test("G2 a claimed run names the folder and the agent's program that are not here, and starts nothing", async (t) => {
  const root = mkdtempSync(path.join(tmpdir(), "holdfast-missing-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const config = configSchema.parse({ agents: { dev: { use: "acp", command: ["no-such-agent-here"] } } });
  const system = await openSystem({ store: `sqlite:${path.join(root, "store.db")}`, settings: config });
  try {
    const cwd = mkdtempSync(path.join(root, "work-"));
    const order = runOrder({ goal: "it", agent: "dev", id: "lost" }, config, cwd);
    const held = await system.createRun(order);
    rmSync(cwd, { recursive: true });
    await system.supervisor({ only: held.run, held }).work();
    const state = await system.loadRun("lost");
    assert.equal(state?.blocked?.reason, "dispatch_error");
    assert.match(state.blocked.detail, new RegExp(`the folder ${cwd} does not exist on `));
    assert.match(state.blocked.detail, /agent "dev": the program "no-such-agent-here" was not found on /);
    const events = await system.ports.journal.read("lost", { after: 0, limit: 100 });
    assert.deepEqual(
      events.filter(({ type }) => /^(Attempt|Effect|Worktree|Tree)/.test(type)),
      [],
      "nothing was started or prepared",
    );
  } finally {
    await system.close();
  }
});
