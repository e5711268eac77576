import assert from "node:assert/strict";
import path from "node:path";
import { writeFileSync } from "node:fs";
import { ApiBench } from "../../api/api-bench.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";

const SCRIPT = {
  attempts: [
    [
      { do: "append", file: "work.txt", line: "{attempt}" },
      { do: "claim", ok: true, text: "done" },
    ],
  ],
};
const FLOW = `name: release
steps:
  - { name: build, task: build it, agent: dev, phase: make }
  - { name: ship, task: ship it, agent: dev, phase: out }
phases:
  - name: make
    gate: { name: release, kind: approval }
  - name: out
`;
const FILES = {
  "script.json": JSON.stringify(SCRIPT),
  "flow.yaml": FLOW,
  "holdfast.yaml":
    "agents: { dev: { use: demo, script: script.json } }\nsupervisor: { idleExitMs: 300, scanMs: 100 }\n",
};

/** What a click sends, with and without a key of its own. */
interface Click {
  readonly run: string;
  readonly digest: string;
  readonly key?: string;
}

const click = (bench: ApiBench, { run, digest, key }: Click): Promise<number> =>
  bench.client
    .ask(
      { params: { run }, body: { kind: "approve", digest } },
      key === undefined ? {} : { idempotencyKey: key },
    )
    .then(() => 200)
    .catch((error: unknown) => (error as { status?: number }).status ?? 0);

async function digestOf(bench: ApiBench, run: string): Promise<string> {
  const { inbox } = await bench.cli.json<{ inbox: readonly { run: string; digest: string }[] }>(["inbox"]);
  return inbox.find((entry) => entry.run === run)?.digest ?? assert.fail(`${run} asks nothing`);
}

async function approve({ count }: Stage): Promise<Tried> {
  const bench = new ApiBench(FILES);
  const succeeded: string[] = [];
  const passes = async (run: string): Promise<number> =>
    (await bench.cli.eventsOf(run)).filter(
      (event) => event.type === "GatePassed" && event.data.gate === "phase:make",
    ).length;
  try {
    await bench.cli.call(["run", "--flow", "flow.yaml", "--id", "stale"]);
    await bench.serve();
    const shown = await digestOf(bench, "stale");
    writeFileSync(path.join(bench.cli.cwd, "work.txt"), "changed after it was shown\n");
    for (const digest of [shown, "0".repeat(12), shown.split("").reverse().join("")])
      await click(bench, { run: "stale", digest });
    if ((await passes("stale")) > 0) succeeded.push("an approval of something else opened a gate");
    await bench.cli.call(["cancel", "stale"]);

    await bench.cli.call(["run", "--flow", "flow.yaml", "--id", "many"]);
    const digest = await digestOf(bench, "many");
    // Half of them are one click that was sent again, the others are many people.
    const clicks = Array.from({ length: count }, (_, nth) =>
      click(bench, { run: "many", digest, key: nth % 2 === 0 ? "one-click" : `click-${String(nth)}` }),
    );
    const statuses = await Promise.all(clicks);
    assert.ok(statuses.includes(200), "somebody's approval counts");
    await bench.cli.reaches("many", "completed");
    for (let times = 0; times < 5; times += 1) await click(bench, { run: "many", digest });
    const events = await bench.cli.eventsOf("many");
    const shipped = events.filter((event) => event.type === "AttemptStarted" && event.data.step === "ship");
    const passed = await passes("many");
    if (passed !== 1) succeeded.push(`the gate was passed ${String(passed)} times`);
    if (shipped.length !== 1) succeeded.push(`what follows began ${String(shipped.length)} times`);
    return tried(count + 8, succeeded);
  } finally {
    await bench.close();
  }
}

export const attacks: readonly Attack[] = [
  {
    // test/api/writes has keys that are used again, and test/cli/decide/gates.e2e.ts stale approvals, in `npm test`.
    ...{ threat: "T15", level: "any", promised: "prevented", count: { full: 50, short: 0 } },
    title:
      "an approval is sent to the API many times at once, again later, and after what was shown has changed",
    run: approve,
  },
];
