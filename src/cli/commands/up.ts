import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import type { System } from "../../main.ts";
import { beSupervisor, type Manner } from "../be-supervisor.ts";
import { beWatchdog } from "../be-watchdog.ts";
import { showExamples, type Bind } from "../define-command.ts";
import { BACKGROUND_OPTION, ensureSupervisor, workerText } from "../detached-supervisor.ts";
import { EXIT } from "../exit-codes.ts";
import { isFault } from "../../model/fault.ts";
import type { HostConfig } from "../../model/host-config.ts";
import type { Invocation } from "../invocation.ts";
import { makeFolder } from "../make-folder.ts";
import { settingsUnattended } from "../last-settings.ts";
import { refuseIfStopped } from "../store-standing.ts";
import { takeServiceNotice } from "../service-notice.ts";
import { RESTART_OPTION, SERVICE_OPTION, WATCHDOG_OPTION } from "../sibling-processes.ts";

interface UpOptions {
  readonly detach?: boolean;
  readonly inBackground?: boolean;
  readonly asWatchdog?: boolean;
  readonly service?: boolean;
  readonly asBefore?: boolean;
  readonly install?: boolean;
  readonly uninstall?: boolean;
  readonly dryRun?: boolean;
}

const HIDDEN = [
  [BACKGROUND_OPTION, "be that supervisor"],
  [WATCHDOG_OPTION, "be the sibling that watches the supervisor"],
  [SERVICE_OPTION, "be the supervisor that a service manager starts"],
  [RESTART_OPTION, "begin with the settings of the supervisor before"],
] as const;

export function addUp(parent: Command, bind: Bind): void {
  const command = parent
    .command("up")
    .summary("work all runs that nobody works")
    .description(
      "Is the supervisor of this host: adopts every run that wants work and has no owner, until it is ended. A sibling process watches it, and brings it back if it dies or makes no progress.",
    )
    .option("--detach", "in the background; ends by itself after a minute without work")
    .option("--install", "have systemd or launchd start it, watch it and start it again")
    .option("--uninstall", "take that back")
    .option("--dry-run", "with --install: show what would be written and run")
    .action(bind(up));
  for (const [option, what] of HIDDEN) command.addOption(command.createOption(option, what).hideHelp());
  showExamples(
    command,
    ["up", "in front; Ctrl-C ends it, and agents that can go on do"],
    ["up --detach", "in the background, for as long as there is work"],
    ["up --install", "as a service of yours, which the system watches as well"],
  );
}

function up(call: Invocation, options: UpOptions): Promise<number> {
  // Taken first, whoever is to be told: nothing that is started from here may inherit it.
  const notice = takeServiceNotice(process.env, (text) => call.output.note(text));
  if (options.install === true || options.uninstall === true) return service(call, options);
  // Where the store was removed, the sibling has nothing to watch and must not make another.
  const ifAbsent = options.asWatchdog === true ? "empty" : "create";
  const work = async (system: System, config: HostConfig): Promise<number> => {
    if (options.detach === true) return detach(call, system);
    if (isInForeground(options)) await refuseIfStopped(call, system);
    if (options.asWatchdog === true) return beWatchdog(call, system, options.service === true);
    return beSupervisor(call, system, { config, ...mannerOf(options, notice) });
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

/** Whoever works in the background for long must not hold the folder it was started in, nor miss it. */
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
    await import("../install-service.ts");
  const plan = planService(call, await call.host(), process.platform);
  if (uninstall === true) return uninstallService(call, plan);
  return dryRun === true ? showService(call, plan) : installService(call, plan);
}

async function detach(call: Invocation, system: System): Promise<number> {
  const supervisor = await ensureSupervisor(call, system);
  call.output.document({ supervisor });
  call.output.line(workerText(supervisor));
  call.output.line(`its log is ${supervisor.log}; end it with ${call.command("down")}`);
  return EXIT.done;
}
