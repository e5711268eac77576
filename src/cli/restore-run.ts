import type { System } from "../main.ts";
import type { Recorded } from "../model/events.ts";
import type { RunRequest } from "../model/requests.ts";
import { tellEvent } from "../views/tell-event.ts";
import { refusal, seeToWork, tellQueued } from "./ask-run.ts";
import { workerText } from "./detached-supervisor.ts";
import { EXIT } from "./exit-codes.ts";
import { findRun } from "./find-run.ts";
import type { Invocation } from "./invocation.ts";
import { storeStanding } from "./store-standing.ts";
import { principalOf } from "./who-asks.ts";

/** How long the files are waited for; they are put back without anybody who waits. */
const WAIT_MS = 120_000;
const LOOK_EVERY_MS = 100;

/** Puts a run back, and answers once its files are back; what could not be put back is named. */
export function restoreRun(call: Invocation, text: string, checkpoint: string | undefined): Promise<number> {
  const request: RunRequest = { kind: "restore", ...(checkpoint === undefined ? {} : { checkpoint }) };
  return call.withSystem("empty", async (system, config) => {
    const run = await findRun(system.rooms.journal, text);
    const from = (await system.rooms.journal.head(run))?.seq ?? 0;
    const options = { ...(await principalOf(call, system)), waitMs: config.requests.answerWaitMs };
    const outcome = await system.requests.ask(run, request, options);
    if (outcome.kind === "queued") return tellQueued(call, run, request, outcome);
    if (outcome.answer.kind === "refused") throw await refusal(system, run, outcome.answer);
    const store = outcome.workFollows ? await storeStanding(call, system) : null;
    const supervisor =
      outcome.workFollows && store?.state !== "stopped" ? await seeToWork(call, system, run) : null;
    const ended = store?.state === "stopped" ? null : await endOf(system, run, from);
    const answer = ended === null ? `${outcome.answer.text}; it is still under way` : tellEvent(ended);
    const how = howOf(ended);
    const { left, leftPaths = [], written, removed } = ended?.type === "RunRestored" ? ended.data : {};
    const facts = left === undefined ? {} : { written, removed, left, leftPaths };
    call.output.document({ run, request: request.kind, outcome: how, text: answer, supervisor, ...facts });
    call.output.line(`${run}: ${answer}`);
    if (ended === null && supervisor !== null) call.output.line(workerText(supervisor));
    if (how !== "done") call.output.line(`see ${call.command("status", run)}`);
    return ended?.type === "RunBlocked" ? EXIT.waiting : EXIT.done;
  });
}

function howOf(ended: Recorded | null): "done" | "partly" | "queued" | "dropped" | "blocked" {
  if (ended?.type === "RunRestored") return ended.data.left === 0 ? "done" : "partly";
  if (ended?.type === "RestoreDropped") return "dropped";
  return ended?.type === "RunBlocked" ? "blocked" : "queued";
}

const ENDS: ReadonlySet<Recorded["type"]> = new Set(["RunRestored", "RestoreDropped", "RunBlocked"]);

async function endOf(system: System, run: string, from: number): Promise<Recorded | null> {
  const until = Date.now() + WAIT_MS;
  for (let after = from; Date.now() < until;) {
    for (const event of await system.rooms.journal.read(run, { after, limit: 1_000 })) {
      after = event.seq;
      if (ENDS.has(event.type)) return event;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return null;
}
