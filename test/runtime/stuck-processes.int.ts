import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { DemoScriptInput } from "../../src/agents/demo/demo-script.ts";
import { openSystem } from "../../src/main.ts";
import type { Recorded } from "../../src/model/events/events.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../src/model/settings/settings.ts";
import { processesOf } from "../agents/contract/scene.ts";

type Acts = DemoScriptInput["attempts"][number];

/** All times are shortened; what is proved is that they are kept to, not how long they are. */
const SETTINGS = {
  startup: { termGraceMs: 500 },
  ladder: { nudgeMs: 50, strategyMs: 50, restartMs: 50, restarts: 1, nextAgent: "second" },
};

interface Worked {
  readonly folder: string;
  readonly status: string;
  readonly events: readonly Recorded[];
}

/** Works a run with real agent processes on a real store, until it is at rest. */
async function worked(
  t: TestContext,
  scripts: { readonly first: Acts[]; readonly second?: Acts[] },
  settings: object,
): Promise<Worked> {
  const place = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-stuck-")));
  const folder = path.join(place, "tree");
  const store = path.join(place, "store.db");
  const scene = process.env["NODE_SCENE_OF_TEST"];
  // Inherited by everything that is started here, however it detaches itself.
  process.env["NODE_SCENE_OF_TEST"] = place;
  t.after(() => {
    if (scene === undefined) delete process.env["NODE_SCENE_OF_TEST"];
    else process.env["NODE_SCENE_OF_TEST"] = scene;
    rmSync(place, { recursive: true, force: true });
  });
  mkdirSync(folder);
  writeFileSync(path.join(folder, "kept.txt"), "as it was");
  const agent = (name: string, attempts: Acts[]) => {
    writeFileSync(path.join(place, `${name}.json`), JSON.stringify({ attempts }));
    return { use: "demo" as const, script: path.join(place, `${name}.json`) };
  };
  const system = await openSystem({ store: `sqlite:${store}`, settings: hostSettingsSchema.parse({}) });
  try {
    const held = await system.createRun({
      goal: "a test",
      flow: { name: "test", phases: [], steps: [STEP] },
      agents: {
        first: agent("first", scripts.first),
        second: agent("second", scripts.second ?? [[{ do: "claim", ok: true, text: "done" }]]),
      },
      settings: runSettingsSchema.parse({ ...SETTINGS, ...settings }),
      budget: {},
      cwd: folder,
      by: "test",
    });
    await system.supervisor({ only: held.run, held }).work();
    const events = await system.ports.journal.read(held.run, { after: 0, limit: 100_000 });
    const state = await system.loadRun(held.run);
    assert.deepEqual(processesOf(place), []);
    return { folder, status: state?.status ?? "unknown", events };
  } finally {
    await system.close();
  }
}

const STEP = {
  name: "work",
  task: "work",
  agent: "first",
  needs: [],
  authority: "writes" as const,
  checks: [],
};

const remediesOf = (events: readonly Recorded[]): string[] =>
  events.flatMap((event) => (event.type === "RemedyTaken" ? [event.data.remedy] : []));

/** About a thousand a minute. */
const sameCalls: Acts = Array.from({ length: 2_000 }, (): Acts => [
  { do: "tool", name: "bash", args: "npm test", result: "1 failing" },
  { do: "sleep", ms: 60 },
]).flat();

test("L2 R1 W3 W4 a real agent that makes a thousand identical calls a minute is recognised by its tenth, ended, put back, and another one does the work", async (t) => {
  const messes: Acts = [{ do: "write", file: "mess.txt", content: "mess" }, ...sameCalls];
  const { folder, status, events } = await worked(
    t,
    { first: [messes, messes, sameCalls] },
    { checkpoints: { when: "always" } },
  );
  assert.equal(status, "completed");
  assert.deepEqual(remediesOf(events), ["warn", "restart", "restore", "other_agent"]);
  const flagged = events.find((event) => event.type === "HealthChanged" && event.data.state === "stuck");
  assert.ok(flagged?.type === "HealthChanged" && flagged.data.pattern === "tool_loop");
  const [, times = "0"] = /(\d+) times in a row/.exec(flagged.data.evidence.join()) ?? [];
  assert.ok(Number(times) > 0 && Number(times) <= 10, flagged.data.evidence.join());
  // What was written in the trouble is gone, what was there before is not.
  assert.deepEqual(
    ["kept.txt", "mess.txt"].map((name) => existsSync(path.join(folder, name))),
    [true, false],
  );
  const agents = events.flatMap((event) => (event.type === "AttemptStarted" ? [event.data.agent] : []));
  assert.deepEqual(agents, ["first", "first", "first", "second"]);
});

test("L1 L2 R1 a real agent whose provider hangs is noticed in time although it keeps printing, and is started again", async (t) => {
  const noise: Acts = Array.from({ length: 3_000 }, (): Acts => [
    { do: "garbage", text: "/-\\| Working (esc to interrupt)" },
    { do: "sleep", ms: 20 },
  ]).flat();
  const { status, events } = await worked(
    t,
    {
      first: [
        [{ do: "tool", name: "bash", args: "ls", result: "a" }, ...noise],
        [{ do: "claim", ok: true, text: "done" }],
      ],
    },
    { health: { tickMs: 50, turnDegradedMs: 300, turnStuckMs: 1_000, silenceMs: 60_000 } },
  );
  assert.equal(status, "completed");
  const stuck = events.find((event) => event.type === "HealthChanged" && event.data.state === "stuck");
  assert.ok(stuck?.type === "HealthChanged" && stuck.data.pattern === "no_progress");
  assert.match(stuck.data.evidence.join(), /the model has not answered/);
  // Its voice was received until then: silence it was not.
  const received = events.filter((event) => event.type === "SignalsHeard" && event.seq < stuck.seq);
  assert.ok(received.length > 3, `${String(received.length)} batches`);
  assert.deepEqual(remediesOf(events).slice(0, 2), ["warn", "restart"]);
});
