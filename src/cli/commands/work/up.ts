import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import type { System } from "../../../main.ts";
import { beGuard, GUARD_OPTION } from "../../supervise/be-guard.ts";
import { beSupervisor, beWatchdog, type Manner } from "../../supervise/be-supervisor.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import {
  BACKGROUND_OPTION,
  ensureSupervisor,
  refuseIfStopped,
  workerText,
} from "../../supervise/detached-supervisor.ts";
import { isFault } from "../../../model/fault.ts";
import type { HostConfig } from "../../../model/settings/host-config.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { makeFolder } from "../../shell/make-folder.ts";
import { settingsUnattended } from "../../supervise/last-settings.ts";
import type { ServerChild } from "../../server/server-child.ts";
import { takeServiceNotice } from "../../supervise/service-notice.ts";
import { addListening } from "../serve.ts";
import { RESTART_OPTION, SERVICE_OPTION, WATCHDOG_OPTION } from "../../supervise/sibling-processes.ts";

interface UpOptions {
  readonly detach?: boolean;
  readonly inBackground?: boolean;
  readonly asWatchdog?: boolean;
  readonly asGuard?: boolean;
  readonly service?: boolean;
  readonly asBefore?: boolean;
  readonly install?: boolean;
  readonly uninstall?: boolean;
  readonly dryRun?: boolean;
  readonly http?: boolean;
  readonly listen?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly behindProxy?: string;
}

const HIDDEN = [
  [BACKGROUND_OPTION, "be that supervisor"],
  [WATCHDOG_OPTION, "be the sibling that watches the supervisor"],
  [GUARD_OPTION, "be the guard that freezes agents whom nobody may supervise"],
  [SERVICE_OPTION, "be the supervisor that a service manager starts"],
  [RESTART_OPTION, "begin with the settings of the supervisor before"],
] as const;

export function addUp(parent: Command, bind: Bind): void {
  const described = parent
    .command("up")
    .summary("run the supervisor")
    .description(
      "Is the supervisor of this host: adopts every run that wants work and has no owner, until it is ended. A sibling process watches it, and brings it back if it dies or makes no progress. Another one serves the API, so that nothing that happens there can touch the supervisor.",
    )
    .option("--detach", "in the background; ends by itself after a minute without work")
    .option("--install", "have systemd or launchd start it, watch it and start it again")
    .option("--uninstall", "take that back")
    .option("--dry-run", "with --install: show what would be written and run")
    .option("--no-http", "serve no API beside the supervisor");
  const command = addListening(described).action(bind(up));
  for (const [option, what] of HIDDEN) command.addOption(command.createOption(option, what).hideHelp());
  command.addHelpText(
    "after",
    examples(
      ["up", "in the foreground, with the API; Ctrl-C ends it, and agents that can continue do"],
      ["up --detach", "in the background, for as long as there is work"],
      ["up --install", "as a service of yours, which the system watches as well"],
    ),
  );
}

function up(call: Invocation, options: UpOptions): Promise<number> {
  // Taken first, no matter who is to be informed: nothing that is started from here may inherit it.
  const notice = takeServiceNotice(process.env, (text) => call.output.note(text));
  if (options.asGuard === true) return guard(call);
  if (options.install === true || options.uninstall === true) return service(call, options);
  // Where the store was removed, the sibling has nothing to watch and must not make another.
  const ifAbsent = options.asWatchdog === true ? "empty" : "create";
  const work = async (system: System, config: HostConfig): Promise<number> => {
    if (options.detach === true) return detach(call, system, options);
    if (isInForeground(options)) await refuseIfStopped(call, system);
    if (options.asWatchdog === true) return beWatchdog(call, system, options.service === true);
    const server = await serverOf(call, options);
    return beSupervisor(call, system, { config, ...mannerOf(options, notice), server });
  };
  if (isInForeground(options)) return call.withSystem(ifAbsent, work);
  leaveFolder(call);
  const settings = (): Promise<HostConfig> => settingsUnattended(call, options.asBefore === true);
  return onceThereIsRoom(call, () => call.withSystem(ifAbsent, work, settings));
}

const NO_ROOM_MS = 1_000;

/** On a full disk a store cannot even be opened; to end would leave it to others to notice that there is room again. */
async function onceThereIsRoom(call: Invocation, work: () => Promise<number>): Promise<number> {
  for (let isSaid = false; ; isSaid = true)
    try {
      return await work();
    } catch (fault) {
      if (!isFault(fault, "store_full")) throw fault;
      if (!isSaid) call.output.note(`waits for room: ${fault.message}`);
      await delay(NO_ROOM_MS);
    }
}

function guard(call: Invocation): Promise<number> {
  leaveFolder(call);
  return beGuard(call);
}

/** The one that works in the background for long must not hold the folder it was started in, nor miss it. */
function leaveFolder({ stateFolder }: Invocation): void {
  makeFolder(stateFolder);
  process.chdir(stateFolder);
}

/** Others stand by, or end by themselves, while the store is stopped. */
const isInForeground = ({ service, inBackground, asWatchdog }: UpOptions): boolean =>
  service !== true && inBackground !== true && asWatchdog !== true;

function mannerOf({ service, inBackground }: UpOptions, notice: Manner["notice"]): Omit<Manner, "config"> {
  if (service === true) return { as: "service", notice };
  return { as: inBackground === true ? "background" : "front", notice: null };
}

async function service(call: Invocation, { uninstall, dryRun }: UpOptions): Promise<number> {
  const { planService, showService, installService, uninstallService } =
    await import("../../supervise/install-service.ts");
  const plan = planService(call, await call.host(), process.platform);
  if (uninstall === true) return uninstallService(call, plan);
  return dryRun === true ? showService(call, plan) : installService(call, plan);
}

/** Nobody has asked for an API who has asked for work alone. */
async function serverOf(call: Invocation, options: UpOptions): Promise<ServerChild | null> {
  if (!wantsHttp(call, options) || options.inBackground === true) return null;
  return (await import("../../server/server-child.ts")).serverChild(call, options);
}

const wantsHttp = ({ surroundings: { env } }: Invocation, { http }: UpOptions): boolean =>
  http !== false && env["HOLDFAST_HTTP"] !== "off";

async function detach(call: Invocation, system: System, options: UpOptions): Promise<number> {
  const supervisor = await ensureSupervisor(call, system);
  const api = wantsHttp(call, options)
    ? await (
        await import("../../server/ensure-server.ts")
      ).ensureServer(call, system, { ...options, beside: true })
    : null;
  call.output.document({
    supervisor,
    ...(api === null ? {} : { url: api.url, socket: api.socket, tokenFile: api.tokenFile }),
  });
  if (api !== null) call.output.line(`the API is at ${api.url}; log in with ${call.command("dashboard")}`);
  call.output.line(workerText(supervisor));
  call.output.line(`its log is ${supervisor.log}; end it with ${call.command("down")}`);
  return EXIT.done;
}
