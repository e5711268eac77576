import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { ModelScriptInput } from "../../../src/model/agent/model-script.ts";
import { pasted } from "../../cli/cli-process.ts";
import type { NamedPerformer } from "../real/performers.ts";
import { Show, story } from "../real/show.ts";
import { ranIn, type CellContext, type Played } from "./played.ts";
import { processesOf } from "./stage-processes.ts";

/** However slow the machine is. */
const LIMIT_MS = 420_000;
/** So long nothing may be asked of the model once the session is suspended. */
const QUIET_MS = 4_000;
/** Long enough for a start on a busy machine, and some work. */
const WORK_MS = 60_000;

/** One cause for which a run waits for people while its agent would work for ever. */
export interface Cause {
  readonly name: string;
  readonly script: ModelScriptInput;
  readonly settings: Readonly<Record<string, unknown>>;
  /** What a person does once the agent is at work. */
  readonly ask?: (show: Show) => Promise<unknown>;
}

const SAME_CALL: ModelScriptInput = {
  turns: [{ say: "I will look again.", acts: [{ run: "true" }], repeat: "forever" }],
};
const OTHER_CALLS: ModelScriptInput = {
  turns: Array.from({ length: 5_000 }, (_, nth) => ({
    say: `Part ${String(nth)}.`,
    acts: [{ run: `echo part ${String(nth)} of many` }],
  })),
};
const QUICK = { startup: { termGraceMs: 1_000 }, suspend: { turnMs: 2_000 } };

export const CAUSES: readonly Cause[] = [
  {
    name: "a loop that no remedy helped",
    script: SAME_CALL,
    settings: {
      ...QUICK,
      health: { tickMs: 1_000 },
      ladder: { nudges: 0, strategyMs: 500, restarts: 0, restartMs: 500 },
      attempts: { perStep: 1 },
      stale: { pause: false },
    },
  },
  {
    name: "an operator who was called",
    script: OTHER_CALLS,
    settings: QUICK,
    ask: (show) => show.bench.call(["escalate", show.run, "--note", "look at it"], { cwd: show.stage.repo }),
  },
  {
    name: "the time limit of the run",
    script: OTHER_CALLS,
    settings: { ...QUICK, time: { runMs: 1.5 * WORK_MS } },
  },
  {
    name: "the time limit of the attempt",
    script: OTHER_CALLS,
    // The attempt that continues has the same time, and first reads all that was said.
    settings: { ...QUICK, attempts: { perStep: 1, limitMs: 1.5 * WORK_MS } },
  },
];

interface StatusOfBlocked {
  readonly status: string;
  readonly blocked: { readonly reason: string; readonly command: string; readonly session: string } | null;
}

/** Lets a real agent work for ever, until people are asked; then nothing of it may be left, and it must continue. */
export async function suspend(t: CellContext, { performer }: NamedPerformer, cause: Cause): Promise<Played> {
  const show = await Show.open(t, { ...performer, settings: cause.settings }, cause.script);
  await show.begin("Do all parts");
  await show.asked(0);
  await cause.ask?.(show);
  const blocked = await untilSuspended(show);
  const asked = show.model.requests().length;
  await delay(QUIET_MS);
  assert.equal(show.model.requests().length, asked, `the model is asked on: ${story(await show.events())}`);
  assert.deepEqual(processesOf(show.stage.folder), [], story(await show.events()));
  const pastedEnd = await show.bench.call(pasted(blocked.command), { cwd: show.stage.repo });
  assert.equal(pastedEnd.code, 0, pastedEnd.stdout + pastedEnd.stderr);
  const continued = await untilContinued(show, asked);
  await show.bench.call(["cancel", show.run], { cwd: show.stage.repo });
  const isGone = await seen(() => processesOf(show.stage.folder).length === 0);
  assert.ok(isGone, `something is left: ${processesOf(show.stage.folder).join("\n")}`);
  const did = `${blocked.reason}: suspended after ${String(asked)} requests, then ${continued}`;
  return { did, sandbox: ranIn(await show.events()) };
}

export async function untilSuspended(show: Show): Promise<NonNullable<StatusOfBlocked["blocked"]>> {
  let last = "";
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await delay(300)) {
    last = (await show.bench.call(["status", show.run, "--json"], { cwd: show.stage.repo })).stdout;
    const { blocked } = JSON.parse(last) as StatusOfBlocked;
    if (blocked !== null && blocked.session !== "alive") return blocked;
  }
  assert.fail(`no session was suspended: ${last}\n${story(await show.events())}`);
}

/** The next session is given the conversation of the first, where the first had one, and asks the model again. */
async function untilContinued(show: Show, asked: number): Promise<string> {
  const isAsked = await seen(() => show.model.requests().length > asked);
  const events = await show.events();
  assert.ok(isAsked, `the model is not asked again: ${story(events)}`);
  const starts = events.flatMap((event) =>
    event.type === "EffectIntended" && event.data.effect.kind === "StartAgent"
      ? [{ seq: event.seq, resume: event.data.effect.resume }]
      : [],
  );
  const last = starts.at(-1);
  const spoken = events
    .filter(({ seq }) => seq < (last?.seq ?? 0))
    .flatMap((event) => (event.type === "SignalsHeard" ? event.data.signals : []))
    .flatMap((signal) => (signal.kind === "conversation" ? [signal.id] : []));
  assert.equal(last?.resume, spoken.at(-1), story(events));
  return spoken.length > 0 ? "the same conversation" : "a new session";
}

async function seen(holds: () => boolean): Promise<boolean> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await delay(100)) if (holds()) return true;
  return false;
}
