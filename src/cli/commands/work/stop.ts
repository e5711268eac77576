import type { Command } from "commander";
import type { System } from "../../../main.ts";
import { Fault } from "../../../model/fault.ts";
import { isoTime } from "../../../model/text/iso-time.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { ensureSupervisor, workerText } from "../../supervise/detached-supervisor.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { siblingHands } from "../../supervise/sibling-processes.ts";
import { personOnly, whoAsks } from "../../ask/who-asks.ts";

export function addStop(parent: Command, bind: Bind): void {
  parent
    .command("stop")
    .summary("emergency brake: suspend every session of every run")
    .description(
      "Suspends every session of every run of the store within 15 seconds, with or without a supervisor. Nothing starts again until `holdfast start`. Ends with 0 only when no session process is left on this host; otherwise it names what is left.",
    )
    .option("--all", "required: it concerns all runs of the store")
    .addHelpText(
      "after",
      examples(
        ["stop --all", "every agent of the store stops; conversations and files are kept"],
        ["stop --all --json", "for programs: what was suspended, and what is left"],
      ),
    )
    .action(bind(stopAll));
  parent
    .command("start")
    .summary("let all runs continue after `stop --all`")
    .description(
      "Ends the emergency brake. Runs continue where they were, in the same conversations; runs that waited for somebody still do.",
    )
    .addHelpText(
      "after",
      examples(
        ["start", "what `stop --all` has suspended continues"],
        ["start --json", "for programs: which runs continue"],
      ),
    )
    .action(bind(startAgain));
}

function stopAll(call: Invocation, { all }: { readonly all?: boolean }): Promise<number> {
  if (all !== true)
    throw new Fault(
      "usage",
      `\`stop\` concerns all runs of the store; expected ${call.command("stop", "--all")}, or for one run ${call.command("pause", "RUN")}`,
    );
  return call.withSystem("create", async (system) => {
    const by = whoAsks(call);
    const since = await call.plan("store", () => system.store.seq());
    const stop = await system.store.stop({ by, ...call.asked, ...(call.isRepeated ? { since } : {}) });
    if (stop === null) return printOver(call);
    const { at, by: first } = stop;
    call.output.line(`the store is stopped by ${first} since ${isoTime(at)}: nothing starts`);
    // It would bring back a supervisor that is ended for not answering.
    await system.dismissWatchdog(by);
    const { sessions, runs, left } = await endSessions(call, system, "store_stopped");
    const command = call.command("start");
    call.output.document({ stopped: true, by: first, since: isoTime(at), sessions, runs, left, command });
    call.output.line(
      sessions === 0
        ? "no session was alive"
        : `${String(sessions - left.length)} of ${String(sessions)} sessions are suspended (${String(runs.length)} runs)`,
    );
    for (const line of left) call.output.line(`still alive: ${line}`);
    call.output.line(
      left.length === 0
        ? `no session process is left; continue with ${command}`
        : `not everything could be ended; try again with ${call.command("stop", "--all")}`,
    );
    return left.length === 0 ? EXIT.done : EXIT.unsuccessful;
  });
}

/** Asked for by a request that a server was killed in: somebody has started the store since. */
function printOver(call: Invocation): number {
  const text = "the store was stopped, and somebody has started it since";
  call.output.document({ stopped: false, text, sessions: 0, runs: [], left: [] });
  call.output.line(text);
  return EXIT.done;
}

export const endSessions = (
  call: Invocation,
  system: System,
  how: "stop_agents" | "store_stopped",
): ReturnType<System["endAllSessions"]> => {
  const hands = siblingHands(call, system, []);
  const endProcess: typeof hands.end = (of, firmness) => hands.end(of, firmness);
  return system.endAllSessions({ how, say: (text) => call.output.note(text), endProcess });
};

function startAgain(call: Invocation): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const by = await personOnly(call, system, "end the emergency brake");
    const before = await call.plan("store", async () => ({
      since: await system.store.seq(),
      stop: (await system.store.standing()).stop,
    }));
    const { since } = before;
    const order = { by, ...call.asked, ...(call.isRepeated ? { since } : {}) };
    const ended = (await system.store.start(order)) ?? (call.isRepeated ? before.stop : null);
    const { journal } = system.ports;
    const working = await journal.runs({ statuses: ["queued", "running", "pausing"] });
    // Somebody may have stopped it again behind a request that is begun again.
    const isOpen = (await system.store.standing()).stop === null;
    const supervisor = working.length === 0 || !isOpen ? null : await ensureSupervisor(call, system);
    call.output.document({
      started: true,
      wasStopped: ended !== null,
      stoppedBy: ended?.by ?? null,
      stoppedSince: ended === null ? null : isoTime(ended.at),
      runs: working.map(({ run }) => run),
      supervisor,
    });
    call.output.line(
      ended === null
        ? "the store was not stopped"
        : `the store is started; it was stopped by ${ended.by} since ${isoTime(ended.at)}`,
    );
    if (working.length > 0) call.output.line(`${String(working.length)} runs continue`);
    if (supervisor !== null) call.output.line(workerText(supervisor));
    return EXIT.done;
  });
}
