import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { openSystem } from "../../../src/main.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { sharedResourceRulesSchema } from "../../../src/model/host/shared-resource.ts";
import { SharedResources } from "../../../src/runtime/shared-resources.ts";
import { CliBench, pasted } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(4);

const HOST = "host:alpha";
const { cooldown, crashes, incidents, health } = configSchema.parse({});
const RULES = sharedResourceRulesSchema.parse({
  ...cooldown,
  ...crashes,
  waitMs: health.limitWaitMs,
  incidentRuns: incidents.runs,
  incidentMs: incidents.windowMs,
});

/** Five independent runs tell that a session of theirs died. */
async function loseSessions(store: string): Promise<void> {
  const system = await openSystem({ store: `sqlite:${store}`, settings: configSchema.parse({}) });
  const resources = new SharedResources(system.ports, system.leases, 0);
  for (const run of ["a", "b", "c", "d", "e"]) {
    const fact = { key: `${run}/1`, kind: "died", run, attempt: "work#1", text: "killed" } as const;
    const reported = { fact: { ...fact, until: null, priority: 0 }, rules: RULES };
    await resources.publish(HOST, reported, new AbortController().signal);
  }
  await system.close();
}

interface Paused {
  readonly paused: readonly { readonly ground: string; readonly command: string; readonly text: string }[];
}
interface Checked {
  readonly checks: readonly {
    readonly name: string;
    readonly state: string;
    readonly remedy: string | null;
  }[];
}

test("L7 the pause of a host after a mass death stands in status and doctor, and the printed command lifts it", async () => {
  const bench = new CliBench();
  try {
    const ran = await bench.call(["run", "say hello", "--agent", "demo", "--id", "hello"]);
    assert.equal(ran.code, 0, ran.stderr);
    mkdirSync(bench.home, { recursive: true });
    await loseSessions(bench.store);
    const { paused } = await bench.json<Paused>(["status", "hello"]);
    assert.deepEqual(
      paused.map(({ ground: resource, command }) => [resource, command]),
      [[HOST, "holdfast unpause host:alpha"]],
    );
    const { checks } = await bench.json<Checked>(["doctor"]);
    const shown = checks.find(({ name }) => name === "shared resources");
    assert.deepEqual([shown?.state, shown?.remedy], ["warn", "holdfast unpause host:alpha"]);
    const lifted = await bench.json(pasted(shown?.remedy ?? ""));
    assert.deepEqual(lifted["lifted"], [HOST]);
    assert.deepEqual((await bench.json<Paused>(["status", "hello"])).paused, []);
    const refused = await bench.call(["unpause"], { env: { HOLDFAST_ATTEMPT: "work#1" } });
    assert.equal(refused.code, 5, "an agent may not");
  } finally {
    await bench.close();
  }
});
