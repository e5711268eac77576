import { setTimeout as delay } from "node:timers/promises";
import { publishDay } from "../run/day-budget.ts";
import { type Interrupt, onInterrupt } from "../run/interrupts.ts";
import type { ServerChild } from "../server/server-child.ts";
import { EXIT } from "../shell/define-command.ts";
import type { Invocation } from "../shell/invocation.ts";
import { guardHands } from "./be-guard.ts";
import { keepLastSettings } from "./last-settings.ts";
import type { ServiceNotice } from "./service-notice.ts";
import { siblingHands, startsSupervisor, startsWatchdog } from "./sibling-processes.ts";
import { storeStopped } from "./detached-supervisor.ts";
import type { System } from "../../main.ts";
import { errorText, Fault } from "../../model/fault.ts";
import type { ProcessIdentity } from "../../model/world.ts";
import type { HostConfig } from "../../model/settings/host-config.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { stopText } from "../../views/status/store-view.ts";

type HostEnd = Awaited<ReturnType<System["host"]["work"]>>;

export interface Manner {
  readonly config: HostConfig;
  /** `background`: ends by itself when idle. `service`: waits for its turn where another one works. */
  readonly as: "front" | "background" | "service";
  readonly notice: ServiceNotice | null;
  /** The process that serves the API beside this one; null where none is wanted. */
  readonly server?: ServerChild | null;
}

const STAND_BY_MS = 2_000;

export async function beSupervisor(call: Invocation, system: System, manner: Manner): Promise<number> {
  const say = sayer(call, system);
  let interrupted: Interrupt | null = null;
  const quiet = onInterrupt((signal) => {
    if (interrupted !== null) process.exit(EXIT.interrupted);
    interrupted = signal;
    say(`${signal}: letting go of all runs; again leaves at once`);
    system.host.stop();
  });
  call.output.onUnread(() => system.host.stop());
  try {
    await publishDay(manner.config, system);
    const options = hostOptions(call, system, manner);
    let end = await system.host.work(options);
    while (isStandBy(end) && manner.as === "service" && !isInterrupted(interrupted)) {
      manner.notice?.ready(end.kind === "held" ? standBy(end.by) : `stands by: ${stopText(end.stop)}`);
      manner.notice?.progress();
      await delay(STAND_BY_MS);
      end = await system.host.work(options);
    }
    await manner.notice?.stopping();
    if (end.kind === "held" && manner.as === "front") throw alreadyUp(call, system, end.by);
    if (end.kind === "stopped" && manner.as === "front") throw storeStopped(call, end.stop);
    call.output.document({ end: end.kind });
    say(endText(call, end));
    // A service manager ends a service with TERM, which is no interruption.
    return interrupted === "SIGINT" ? EXIT.interrupted : EXIT.done;
  } finally {
    await manner.server?.end();
    quiet();
  }
}

type StandBy = Extract<HostEnd, { kind: "held" | "stopped" }>;

const isStandBy = (end: HostEnd): end is StandBy => end.kind === "held" || end.kind === "stopped";

const standBy = ({ process: { pid } }: Owner): string => `stands by: pid ${String(pid)} supervises`;

/** Set by a signal, which the flow of types does not see. */
const isInterrupted = (interrupt: Interrupt | null): boolean => interrupt !== null;

const sayer =
  (call: Invocation, { ports: { world } }: System) =>
  (text: string) =>
    call.output.line(`${isoTime(world.now())}  ${text}`);

function hostOptions(
  call: Invocation,
  system: System,
  { config, as, notice, server }: Manner,
): NonNullable<Parameters<System["host"]["work"]>[0]> {
  const { world } = system.ports;
  const say = sayer(call, system);
  const sibling = { hands: siblingHands(call, system, startsWatchdog(as === "service")), say };
  const about = `supervisor of ${world.self.host} on ${call.store.shown} (pid ${String(world.self.pid)})`;
  return {
    ...(as === "background" ? { idleExitMs: config.supervisor.idleExitMs } : {}),
    ...(hasSibling(call, config) ? { sibling } : {}),
    fleet: { guard: guardHands(call), say },
    onBegin() {
      keepLastSettings(call, config, (name) => world.crashPoint(name));
      say(about);
      notice?.ready(about);
      server?.begin();
    },
    onRound: () => notice?.progress(),
    onTaken: (run, from) =>
      say(`took ${run}${from === "gone" || from === "silent" ? " from an owner that is gone" : ""}`),
    onLetGo: (run, status) => say(`released ${run}: ${status}`),
    onStoreFull: (text) => say(`the disk of the store is full; agents work on, and so does this: ${text}`),
    onStoreRoom: (afterMs) => say(`there is room again after ${String(Math.round(afterMs / 1_000))} s`),
    onMirrorFault: (run, text) => call.output.note(`${run} goes on, but ${text}`),
    onRunFault: (run, fault) => call.output.note(`${run} is left alone: ${errorText(fault)}`),
  };
}

const hasSibling = ({ surroundings: { env } }: Invocation, { watchdog }: HostConfig): boolean =>
  watchdog.sibling && env["HOLDFAST_WATCHDOG"] !== "off";

function endText(call: Invocation, end: HostEnd): string {
  switch (end.kind) {
    case "held":
      return `another supervisor lives already (pid ${String(end.by.process.pid)}); this one is not needed`;
    case "replaced":
      return "another supervisor has taken the place of this one, which gave no sign of life for too long";
    case "idle":
      return "ended: there was no work";
    case "stopped":
      return `ended: ${stopText(end.stop)}; continue with ${call.command("start")}`;
    case "asked":
    case "settled":
      return `ended; unfinished runs continue with: ${call.command("up")}`;
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

const END_TEXT = {
  held: "another one watches already",
  dismissed: "ended with its supervisor",
  needless: "ended: there is no supervisor to watch",
  store_gone: "ended: the store is gone",
} as const;

/** The sibling: watches the supervisor of this host until it ends as it should. */
export async function beWatchdog(call: Invocation, system: System, isService: boolean): Promise<number> {
  const { world } = system.ports;
  const say = (text: string): void => call.output.line(`${isoTime(world.now())}  watchdog: ${text}`);
  const hands = siblingHands(call, system, startsSupervisor);
  const isStoreThere = (): boolean => call.storeExists;
  const holdsStore = ({ pid, startedAt }: ProcessIdentity): boolean => {
    const holder = system.lockHolder();
    return holder?.pid === pid && holder.startedAt === startedAt;
  };
  const watchdog = system.watchdog({ hands, say, isService, isStoreThere, holdsStore });
  const quiet = onInterrupt(() => watchdog.stop());
  try {
    const { kind } = await watchdog.work();
    if (kind !== "held") say(END_TEXT[kind]);
    call.output.document({ end: kind });
    return EXIT.done;
  } finally {
    quiet();
  }
}
