import type { Command } from "commander";
import type { System } from "../../../main.ts";
import { durationMs } from "../../../model/text/duration.ts";
import { Fault } from "../../../model/fault.ts";
import { isWorking, type RunStatus } from "../../../model/state/run-status.ts";
import type { StatusView } from "../../../views/status/status.ts";
import { type Bind, EXIT, EXIT_OF_STATUS, examples } from "../../shell/define-command.ts";
import { runAtHand } from "../../run/find-run.ts";
import { changeOrDelay } from "../../run/follow-run.ts";
import { onInterrupt } from "../../run/interrupts.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { lookAtSupervision, supervisedStatus } from "../../supervise/look-at-supervision.ts";
import { workOf, type RunWork } from "../../ask/run-work.ts";
import { statusLines } from "../../print/status-lines.ts";

export function addWait(parent: Command, bind: Bind): void {
  parent
    .command("wait")
    .summary("wait until a run has ended or needs somebody")
    .description(
      "Waits until a run has ended, or waits for a person, or is unsupervised, and says where it stands. " +
        "Its exit code is the run's: 0 completed, 1 failed or cancelled, 3 everything else. The run is not affected. " +
        "Without RUN: the only run that has not ended, or the newest of all.",
    )
    .argument("[RUN]", "the run's id, or the beginning or end of it")
    .option("--timeout <time>", "wait no longer than this, such as 30m; ends with 3")
    .addHelpText(
      "after",
      examples(
        ["wait mail-1 && holdfast accept mail-1", "take the work over once it is there"],
        ["wait --timeout 2h --json", "the status of the only open run, two hours from now at the latest"],
      ),
    )
    .action(bind(wait));
}

/** A run that was just begun may have nobody for a moment. */
const ALONE_MS = 5_000;
/** Node's timers know no longer time. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

function wait(
  call: Invocation,
  text: string | undefined,
  { timeout }: { readonly timeout?: string },
): Promise<number> {
  const limitMs = timeout === undefined ? null : Math.min(durationMs(timeout), TIMEOUT_MS_MAX);
  return call.withSystem("empty", async (system) => {
    const { journal } = system.ports;
    const run = await runAtHand(journal, text);
    const over = new AbortController();
    let why: "interrupted" | "late" | null = null;
    const stop = (reason: "interrupted" | "late"): void => {
      why ??= reason;
      over.abort();
    };
    const quiet = onInterrupt(() => stop("interrupted"));
    const timer = limitMs === null ? undefined : setTimeout(() => stop("late"), limitMs);
    try {
      return printEnd(call, await standstill(call, system, { run, until: over.signal }), why);
    } finally {
      clearTimeout(timer);
      quiet();
    }
  });
}

interface Standing {
  readonly status: RunStatus;
  readonly view: StatusView;
  readonly work?: RunWork | null;
}

/** Where the run stands once it does not move by itself any more, or nobody waits for it any longer. */
async function standstill(
  call: Invocation,
  system: System,
  { run, until }: { readonly run: string; readonly until: AbortSignal },
): Promise<Standing> {
  let aloneSince: number | undefined;
  for (;;) {
    const state = await system.loadRun(run);
    if (state === null) throw new Fault("not_found", `the run "${run}" is no longer in this store`);
    const { status } = state;
    const look = (): Promise<StatusView> => supervisedStatus(system, state, call.store.named);
    if (!isWorking(status) || until.aborted)
      return { status, view: await look(), work: await workOf(call, system, state) };
    const { seen } = (await lookAtSupervision(system, call.store.named))(run);
    const now = Date.now();
    aloneSince = seen.owner === null ? (aloneSince ?? now) : undefined;
    if (aloneSince !== undefined && now - aloneSince >= ALONE_MS) {
      const view = await look();
      if (view.supervision?.state === "none") return { status, view };
    }
    await changeOrDelay(system.ports.journal, until);
  }
}

function printEnd(
  call: Invocation,
  { status, view, work = null }: Standing,
  why: "interrupted" | "late" | null,
): number {
  call.output.document(work === null ? view : { ...view, work });
  for (const line of statusLines(view, work)) call.output.line(line);
  if (!isWorking(status)) return EXIT_OF_STATUS[status];
  if (why !== null)
    call.output.note(`no longer waiting for ${view.run}, which is ${status} and was not affected`);
  return why === "interrupted" ? EXIT.interrupted : EXIT.waiting;
}
