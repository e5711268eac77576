import type { Proofs, System } from "../../main.ts";
import type { HostConfig } from "../../model/settings/host-config.ts";
import { Fault } from "../../model/fault.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import { isWorking, type RunStatus } from "../../model/state/run-status.ts";
import {
  ensureSupervisor,
  type LivingSupervisor,
  storeStanding,
  workerText,
} from "../supervise/detached-supervisor.ts";
import { EXIT } from "../shell/define-command.ts";
import { findRun } from "../run/find-run.ts";
import type { Invocation } from "../shell/invocation.ts";
import { askerOf } from "./who-asks.ts";

/** Signs a request as somebody who has shown their passphrase or token. */
export type Prove = NonNullable<ReturnType<Proofs["signerOf"]>>["sign"];

/** Which runs a request can be for that names none; any that has not ended, where nothing stands here. */
export const MEANT: Readonly<Partial<Record<RunRequest["kind"], readonly RunStatus[]>>> = {
  pause: ["queued", "running", "pausing"],
  resume: ["paused"],
  retry: ["blocked", "paused"],
};

/** Asks something of a run, waits for the answer, and sees to it that somebody works where work follows. */
export function askRun(
  call: Invocation,
  text: string | undefined,
  request: RunRequest,
  prove?: Prove,
): Promise<number> {
  return call.withSystem("empty", async (system, config) => {
    const run = await findRun(system.ports.journal, text, MEANT[request.kind]);
    const outcome = await system.requests.ask(run, request, {
      ...(await askerOf(call, system)),
      ...(prove === undefined ? {} : { prove: (asked) => prove({ ...asked, request, now: Date.now() }) }),
      waitMs: config.requests.answerWaitMs,
    });
    if (outcome.kind === "queued") return printQueued(call, run, request, outcome);
    const { answer, workFollows } = outcome;
    if (answer.kind === "refused") {
      const fault = await refusal(system, run, answer);
      // What was wished for holds already.
      if (request.kind === "cancel" && fault.details["status"] === "cancelled")
        return printDone(call, { run, request: "cancel", text: "is cancelled already", supervisor: null });
      throw fault;
    }
    const store = workFollows ? await storeStanding(call, system) : null;
    // What was asked is recorded; nothing starts before the store does.
    if (store?.state === "stopped")
      return printDone(call, {
        run,
        request: request.kind,
        text: `${answer.text}, but not yet: ${store.text}`,
        supervisor: null,
      });
    const supervisor = workFollows ? await seeToWork(call, system, run) : null;
    return printDone(call, { run, request: request.kind, text: answer.text, supervisor });
  });
}

type Refused = { readonly text: string; readonly allowedIn: readonly string[] };

export async function refusal(system: System, run: string, { text, allowedIn }: Refused): Promise<Fault> {
  const state = await system.loadRun(run);
  return new Fault("refused", text, { details: { run, status: state?.status ?? null, allowedIn } });
}

type Queued = Extract<Awaited<ReturnType<System["requests"]["ask"]>>, { kind: "queued" }>;

export function printQueued(call: Invocation, run: string, request: RunRequest, queued: Queued): number {
  const text = queuedText(run, queued);
  const { requestId, program } = queued;
  call.output.document({ run, request: request.kind, outcome: "queued", requestId, text, program });
  call.output.line(`${run}: ${text}; see ${call.command("status", run)}`);
  return EXIT.done;
}

/** A workflow function is run by its program, and by no supervisor. */
function queuedText(run: string, { program }: Queued): string {
  if (program === null) return "queued: the run's owner has not answered yet";
  const { process: worker, body } = program;
  if (worker !== null)
    return `stored: process ${String(worker.pid)} on ${worker.host} runs it and has not answered yet`;
  const opens =
    body === null
      ? `hf.run("${run}", …)`
      : `hf.run("${run}", …) or hf.resumeAll() with the function "${body}"`;
  return `stored: no process runs it now; it is answered when its program opens this store and calls ${opens}`;
}

export interface Done {
  readonly run: string;
  readonly request: string;
  readonly text: string;
  readonly supervisor: LivingSupervisor | null;
}

export function printDone(call: Invocation, { run, request, text, supervisor }: Done): number {
  call.output.document({ run, request, outcome: "done", text, supervisor });
  call.output.line(`${run}: ${text}`);
  if (supervisor !== null) call.output.line(workerText(supervisor));
  if (supervisor !== null) call.output.line(`see ${call.command("events", run, "--follow")}`);
  return EXIT.done;
}

/**
 * Null where somebody works the run already, such as a `run` in front. One that answered and let go in between has
 * left nothing to do: so whether work is left is asked again once nobody holds the run.
 */
export async function seeToWork(
  call: Invocation,
  system: System,
  run: string,
): Promise<LivingSupervisor | null> {
  if (await system.leases.isHeld(run)) return null;
  return (await system.requests.isWorking(run)) ? ensureSupervisor(call, system) : null;
}

const SETTLE_LOOK_MS = 100;
/** A run at work may have lost its supervisor. */
const RESUMABLE: readonly RunStatus[] = ["paused", "pausing", "running", "queued"];

/**
 * Resume, for a run that nobody works although it is not paused: its supervisor died or was made to leave. There is
 * nothing to ask of such a run; it only needs a supervisor. One caught on its way to a pause settles first.
 */
export function resumeRun(call: Invocation, named: string | undefined): Promise<number> {
  let text = named;
  return call
    .withSystem("empty", async (system, config) => {
      const run = await findRun(system.ports.journal, named, RESUMABLE);
      text = run;
      const state = await system.loadRun(run);
      if (state === null || !isWorking(state.status) || (await system.leases.isHeld(run))) return null;
      const supervisor = await ensureSupervisor(call, system);
      if (state.status === "pausing")
        return (await settled(system, run, config)) ? null : printPausing(call, run, supervisor);
      return printDone(call, {
        run,
        request: "resume",
        text: "nobody worked the run; it goes on",
        supervisor,
      });
    })
    .then((code) => code ?? askRun(call, text, { kind: "resume" }));
}

async function settled(system: System, run: string, config: HostConfig): Promise<boolean> {
  const until = Date.now() + config.requests.answerWaitMs;
  while (Date.now() < until) {
    if ((await system.loadRun(run))?.status !== "pausing") return true;
    await new Promise((resolve) => setTimeout(resolve, SETTLE_LOOK_MS));
  }
  return false;
}

function printPausing(call: Invocation, run: string, supervisor: LivingSupervisor): number {
  const text = `the run is still on its way to a pause; then it goes on with: ${call.command("resume", run)}`;
  return printDone(call, { run, request: "resume", text, supervisor });
}
