import type { Command } from "commander";
import type { System } from "../../main.ts";
import type { Config } from "../../model/config.ts";
import { errorText, Fault } from "../../model/fault.ts";
import { isoTime } from "../../model/iso-time.ts";
import { showExamples, type Bind } from "../define-command.ts";
import { BACKGROUND_OPTION, ensureSupervisor, workerText } from "../detached-supervisor.ts";
import { EXIT } from "../exit-codes.ts";
import { onInterrupt, type Interrupt } from "../interrupts.ts";
import type { Invocation } from "../invocation.ts";

interface UpOptions {
  readonly detach?: boolean;
  readonly inBackground?: boolean;
}

type HostEnd = Awaited<ReturnType<System["host"]["work"]>>;

export function addUp(parent: Command, bind: Bind): void {
  const command = parent
    .command("up")
    .summary("work all runs that nobody works")
    .description(
      "Is the supervisor of this host: adopts every run that wants work and has no owner, until it is ended.",
    )
    .option("--detach", "in the background; ends by itself after a minute without work")
    .action(bind(up));
  command.addOption(command.createOption(BACKGROUND_OPTION, "be that supervisor").hideHelp());
  showExamples(
    command,
    ["up", "in front; Ctrl-C ends it, and agents that can go on do"],
    ["up --detach", "in the background, for as long as there is work"],
  );
}

function up(call: Invocation, options: UpOptions): Promise<number> {
  return call.withSystem("create", (system, config) =>
    options.detach === true
      ? detach(call, system)
      : beSupervisor(call, system, { config, background: options.inBackground === true }),
  );
}

async function detach(call: Invocation, system: System): Promise<number> {
  const supervisor = await ensureSupervisor(call, system);
  call.output.document({ supervisor });
  call.output.line(workerText(supervisor));
  call.output.line(`its log is ${supervisor.log}; end it with ${call.command("down")}`);
  return EXIT.done;
}

interface Manner {
  readonly config: Config;
  readonly background: boolean;
}

async function beSupervisor(
  call: Invocation,
  system: System,
  { config, background }: Manner,
): Promise<number> {
  const { world } = system.rooms;
  const say = (text: string): void => call.output.line(`${isoTime(world.now())}  ${text}`);
  let interrupted: Interrupt | null = null;
  const quiet = onInterrupt((signal) => {
    if (interrupted !== null) process.exit(EXIT.interrupted);
    interrupted = signal;
    say(`${signal}: letting go of all runs; again leaves at once`);
    system.host.stop();
  });
  call.output.onUnread(() => system.host.stop());
  try {
    const end = await system.host.work({
      ...(background ? { idleExitMs: config.supervisor.idleExitMs } : {}),
      onBegin: () =>
        say(`supervisor of ${world.self.host} on ${call.store.shown} (pid ${String(world.self.pid)})`),
      onTaken: (run, from) =>
        say(`took ${run}${from === "gone" || from === "silent" ? " from an owner that is gone" : ""}`),
      onLetGo: (run, status) => say(`let go of ${run}: ${status}`),
      onMirrorFault: (run, text) => call.output.note(`${run} goes on, but ${text}`),
      onRunFault: (run, fault) => call.output.note(`${run} is left alone: ${errorText(fault)}`),
    });
    if (end.kind === "held" && !background) throw alreadyUp(call, system, end.by);
    call.output.document({ end: end.kind });
    say(endText(call, end));
    // A service manager ends a service with TERM, which is no interruption.
    return interrupted === "SIGINT" ? EXIT.interrupted : EXIT.done;
  } finally {
    quiet();
  }
}

function endText(call: Invocation, end: HostEnd): string {
  switch (end.kind) {
    case "held":
      return `another supervisor lives already (pid ${String(end.by.process.pid)}); this one is not needed`;
    case "replaced":
      return "another supervisor has taken the place of this one, which gave no sign of life for too long";
    case "idle":
      return "ended: there was no work";
    case "asked":
    case "settled":
      return `ended; runs that are not at rest go on with: ${call.command("up")}`;
  }
}

type Owner = Extract<HostEnd, { kind: "held" }>["by"];

function alreadyUp(call: Invocation, system: System, { id, process: { pid, host } }: Owner): Fault {
  const since = system.drawnAt(id);
  const when = since === null ? "" : `, since ${isoTime(since)}`;
  return new Fault(
    "refused",
    `a supervisor of this host works this store already: pid ${String(pid)} on ${host}${when}; ` +
      `\`up\` is allowed when none does: end it with ${call.command("down")}`,
    { details: { pid, host, since: since === null ? null : isoTime(since) } },
  );
}
