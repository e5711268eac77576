import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { ModelScriptInput } from "../../../src/model/agent/model-script.ts";
import { pasted } from "../../cli/cli-process.ts";
import { ACP_AGENTS } from "../real/agent-setup.ts";
import { notInstalled, written } from "../real/agent-stage.ts";
import { CONTENT, HELLO } from "../real/scripts.ts";
import { Show, story, type Performer } from "../real/show.ts";
import { ranIn, type CellContext, type Played } from "./played.ts";
import { processesOf, textOf } from "./stage-processes.ts";
import { untilSuspended } from "./suspension-cell.ts";

const IDLE_MS = 15_000;
/** Of a processor per minute. opencode polls by itself while it waits: 1.3 to 1.9 s were seen, none of it Holdfast's. */
const IDLE_CPU_MS_MAX = 3_000;

const opencode = ACP_AGENTS.find(({ name }) => name === "opencode acp");
export const lateMissing = opencode?.command === undefined && notInstalled("opencode");

export async function approveLate(t: CellContext): Promise<Played> {
  const [first] = HELLO.turns;
  assert.ok(opencode !== undefined && first !== undefined);
  const { command, aim } = opencode;
  const asks: typeof aim = (stage) => {
    const { env, files } = aim(stage);
    const asking = Object.entries(files).map(([file, text]) => [
      file,
      text.replace('"edit":"allow"', '"edit":"ask"'),
    ]);
    return { env, files: Object.fromEntries(asking) as Record<string, string> };
  };
  const again = { ...first, repeat: "forever" } as const;
  const { show, idleMs } = await answerLate(
    t,
    { spec: { use: "acp", command }, aim: asks },
    { turns: [again] },
  );
  for (let looks = 0; looks < 3_000 && written(show.stage) === ""; looks += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(written(show.stage), CONTENT, story(await show.events()));
  await show.bench.call(["cancel", show.run]);
  const did = `it waits with 0 requests and ${String(Math.round(idleMs))} ms of a processor per minute, is suspended, and the late approval reaches it`;
  return { did, sandbox: ranIn(await show.events()) };
}

/** What the processes of a stage have used of the processors, in milliseconds. */
function cpuMsOf(folder: string): number {
  const ticks = processesOf(folder).map((line) => {
    const fields =
      textOf(`/proc/${line.split(" ")[0] ?? ""}/stat`)
        .split(") ")[1]
        ?.split(" ") ?? [];
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  });
  return ticks.reduce((sum, one) => sum + one, 0) * 10;
}

/**
 * An agent that asks for a permission stays alive for a while and neither asks its model nor works; then it is suspended.
 * An approval that comes later is given to the continued session when it asks for the same.
 */
async function answerLate(
  t: CellContext,
  performer: Performer,
  script: ModelScriptInput,
): Promise<{ readonly show: Show; readonly idleMs: number }> {
  const settings = { startup: { termGraceMs: 1_000 }, suspend: { turnMs: 2_000, waitMs: 45_000 } };
  const show = await Show.open(t, { ...performer, settings }, script);
  await show.begin("Write hello.txt");
  await show.bench.reaches(show.run, "awaiting_approval");
  // What it does after its start is over by then.
  await delay(IDLE_MS);
  const [asked, usedMs] = [show.model.requests().length, cpuMsOf(show.stage.folder)];
  await delay(IDLE_MS);
  assert.ok(processesOf(show.stage.folder).length > 0, "it waits for the answer");
  assert.equal(show.model.requests().length, asked);
  const perMinute = ((cpuMsOf(show.stage.folder) - usedMs) * 60_000) / IDLE_MS;
  assert.ok(
    perMinute < IDLE_CPU_MS_MAX,
    `an idle session used ${String(perMinute)} ms of a processor per minute`,
  );
  const { command } = await untilSuspended(show);
  assert.deepEqual(processesOf(show.stage.folder), [], story(await show.events()));
  const ended = await show.bench.call(pasted(command), { cwd: show.stage.repo });
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  return { show, idleMs: perMinute };
}
