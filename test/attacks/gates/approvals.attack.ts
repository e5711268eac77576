import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { CliBench, pasted } from "../../cli/cli-process.ts";
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
/** So many processes at once; more of them only wait for each other. */
const AT_ONCE = 5;

interface Inbox {
  readonly inbox: readonly { readonly run: string; readonly digest: string; readonly command: string }[];
}

async function approve({ count }: Stage): Promise<Tried> {
  const bench = new CliBench({
    "script.json": JSON.stringify(SCRIPT),
    "flow.yaml": FLOW,
    "holdfast.yaml":
      "agents: { dev: { use: demo, script: script.json } }\nsupervisor: { idleExitMs: 300, scanMs: 100 }\n",
  });
  const succeeded: string[] = [];
  const waits = async (run: string): Promise<Inbox["inbox"][number]> => {
    const { inbox } = await bench.json<Inbox>(["inbox"]);
    return inbox.find((entry) => entry.run === run) ?? assert.fail(`${run} asks nothing`);
  };
  const passes = async (run: string): Promise<number> =>
    (await bench.eventsOf(run)).filter(
      (event) => event.type === "GatePassed" && event.data.gate === "phase:make",
    ).length;
  try {
    await bench.call(["run", "--flow", "flow.yaml", "--id", "stale"]);
    const old = await waits("stale");
    writeFileSync(path.join(bench.cwd, "work.txt"), "changed after it was shown\n");
    await bench.call(pasted(old.command));
    await bench.receives("stale", '"again":true');
    if ((await passes("stale")) > 0) succeeded.push("an approval of something else opened a gate");
    await bench.call(["cancel", "stale"]);
    await bench.call(["run", "--flow", "flow.yaml", "--id", "many"]);
    const { command } = await waits("many");
    for (let done = 0; done < count; done += AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, count - done) }, () => bench.call(pasted(command))),
      );
    await bench.reaches("many", "completed");
    // Answered with what was approved before; only its effects count.
    await bench.call(pasted(command));
    const events = await bench.eventsOf("many");
    const shipped = events.filter((event) => event.type === "AttemptStarted" && event.data.step === "ship");
    if ((await passes("many")) !== 1)
      succeeded.push(`the gate was passed ${String(await passes("many"))} times`);
    if (shipped.length !== 1) succeeded.push(`what follows began ${String(shipped.length)} times`);
    return tried(count + 2, succeeded);
  } finally {
    await bench.close();
  }
}

export const attacks: readonly Attack[] = [
  {
    // Stale and repeated approvals are in test/cli/decide/gates.e2e.ts in `npm test`.
    ...{ threat: "T15", level: "any", promised: "prevented", count: { full: 50, short: 0 } },
    title: "an approval is given many times at once, again later, and after what was shown has changed",
    run: approve,
  },
];
