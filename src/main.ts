import { readDoor } from "./agents/mcp-door.ts";
import type { FunctionAgent } from "./agents/function/function-agent.ts";
import { guardedDrivers } from "./agents/fence/guarded-drivers.ts";
import { emptyFolder } from "./files/empty-folder.ts";
import type { AgentReport } from "./agents/headless/report-agents.ts";
import { endLiving, livingSessions } from "./agents/keeper/live-sessions.ts";
import { nextLook } from "./agents/keeper/look-around.ts";
import { siftBy } from "./agents/keeper/spool/sifting.ts";
import { membersOf } from "./agents/keeper/session-members.ts";
import { tailOutput, type OutputTail } from "./agents/keeper/spool/tail-output.ts";
import { fullDisks } from "./agents/disk-room.ts";
import { lowPriority } from "./agents/low-priority.ts";
import { inhibitorFor, keepAwake } from "./agents/keep-awake.ts";
import { carriedConversations } from "./agents/meters/carried-conversations.ts";
import { missingContext } from "./agents/missing-context.ts";
import { findSandbox } from "./agents/sandbox/find-sandbox.ts";
import { limitsHere } from "./agents/sandbox/sandbox-limits.ts";
import { terminalsOf, type Terminals } from "./agents/tmux/terminals.ts";
import { callerOfStore, sessionBehind, type CallerSession } from "./caller-of-store.ts";
import { api, type ApiOptions, type Operations } from "./api-face.ts";
import { writeArchive, writeWholeFile } from "./journal/archive-file.ts";
import { exportRun } from "./journal/export-lines.ts";
import { openExport } from "./journal/read-export.ts";
import { looksOn, type Looks } from "./open-reader.ts";
import { approverKey, newToken, proofPrincipal, signerOf } from "./journal/request-proof.ts";
import { acceptOlder } from "./journal/accept-older.ts";
import type { Behind } from "./journal/anchored-journal.ts";
import type { Owner } from "./journal/journal.ts";
import { redactor } from "./model/text/redact.ts";
import { siftTable } from "./model/text/sift-table.ts";
import type { World } from "./model/world.ts";
import type { Lift } from "./decide/resources/decide-shared-resource.ts";
import type { HostSettings } from "./model/settings/settings.ts";
import { driversOn, HEADLESS_AGENTS, surveyAgents, surveyConfigured } from "./all-drivers.ts";
import { knownSecrets } from "./known-secrets.ts";
import { lookBeforehand } from "./look-beforehand.ts";
import { fleetPorts, guardHere } from "./fleet-ports.ts";
import { fileDeathNotes } from "./file-death-notes.ts";
import { channelNotifier } from "./notify/channel-notifier.ts";
import { guardedPost } from "./notify/post-once.ts";
import { fileMirrors } from "./notify/file-mirrors.ts";
import { openStore, storeLock, type OpenedStore, type StoreLock } from "./open-store.ts";
import { shellQuality } from "./quality/shell/shell-quality.ts";
import {
  redactingDrivers,
  redactingOrders,
  redactingInbox,
  redactingNotifier,
  redactingQuality,
  redactingTail,
  withoutSecrets,
} from "./redaction.ts";
import { runMirrors } from "./run-mirrors.ts";
import { scrubbing, type Scrubbing } from "./scrub-run.ts";
import { tryAgent, type Trial } from "./try-agent.ts";
import { backupStore } from "./backup-store.ts";
import { garbageOn, type StoreGarbage } from "./garbage-on.ts";
import { timeOfId, worldHere } from "./real-world.ts";
import { restoreStore } from "./restore-store.ts";
import { archiveRun, type ArchivedRun } from "./runtime/archive-run.ts";
import { endAllSessions, type EndAllOptions, type EndedAll } from "./runtime/supervisor/end-all-sessions.ts";
import { StoreSwitch } from "./runtime/supervisor/store-switch.ts";
import { standingWork, type StandingWork } from "./runtime/mission/standing-work.ts";
import { createRun, type CreatedRun, type RunOrder } from "./runtime/create-run.ts";
import { HostSupervisor } from "./runtime/supervisor/host-supervisor.ts";
import { Leases } from "./runtime/leases.ts";
import { Requests } from "./runtime/requests.ts";
import { forkRun, type ForkedRun, type ForkOptions } from "./runtime/fork-run.ts";
import { salvageRun, type SalvagedRun } from "./runtime/salvage-run.ts";
import type { Ports } from "./runtime/ports.ts";
import type { Workspace } from "./workspace/workspace.ts";
import { cleanFolders } from "./workspace/worktree/clean-folders.ts";
import { gitWorkspace } from "./workspace/git-workspace.ts";
import { fileArtifacts } from "./workspace/accept/file-artifacts.ts";
import { fileGuard } from "./workspace/protect/file-guard.ts";
import { Supervisor } from "./runtime/supervisor/supervisor.ts";
import type { SupervisorOptions } from "./runtime/supervisor/supervisor-options.ts";
import { unpause } from "./runtime/supervisor/unpause.ts";
import { dismissWatchdog, Watchdog, type WatchdogOptions } from "./runtime/supervisor/watchdog.ts";

export interface SystemOptions {
  /** `sqlite:PATH`, `postgres://…` or `memory:`. */
  readonly store: string;
  /** The store as commands given to people must name it; null or absent where they find it without. */
  readonly storeNamed?: string | null;
  readonly settings: HostSettings;
  /** Opens a store that is older than its anchor, for a person who accepts that. */
  readonly acceptRollback?: boolean;
  /** The command line itself, where there is one: agents start it to have tools. */
  readonly ownCommand?: readonly [string, ...string[]] | undefined;
  /** Reads who is to work what, in the files from which a run learned; without it no change there is seen. */
  readonly bindings?: Ports["bindings"];
  /** Says what of a run's files is not as it was trusted; without it nothing is looked at. */
  readonly trust?: Ports["trust"];
  /** Reads the intakes of continuous sessions; without it nobody here goes on with them. */
  readonly goals?: Ports["goals"];
  readonly missions?: Ports["missions"];
  /** Where the dashboard of the store is reached now: notices link to it. */
  readonly dashboard?: Ports["dashboard"];
  /** Functions that `function` agents may name. */
  readonly functions?: ReadonlyMap<string, FunctionAgent>;
}

/** Everything put together on one store. */
export interface System extends StandingWork, StoreLock, Scrubbing, Terminals, Looks {
  readonly ports: Ports;
  readonly leases: Leases;
  readonly requests: Requests;
  /** Stops and starts the store for all its runs. */
  readonly store: StoreSwitch;
  /** Goes on with a store that is older than its anchor, on record; answers what is lost. Null without an anchor. */
  acceptRollback(by: string): Promise<readonly Behind[] | null>;
  /** Ends every session of every run on this host, and says what is left. */
  endAllSessions(options: EndAllOptions): Promise<EndedAll>;
  /** The one supervisor of this host on this store. */
  readonly host: HostSupervisor;
  /** Creates a run whose lease the caller then holds. */
  createRun(order: RunOrder): Promise<CreatedRun>;
  /** Ends the pause of one of them for somebody; answers whether there was one. */
  unpause(resource: string, order: Lift): Promise<boolean>;
  /** Keeps an ended run in a file of the folder, and removes it from the store. */
  archiveRun(run: string, folder: string): Promise<ArchivedRun>;
  readonly garbage: StoreGarbage;
  /** Lets a run whose journal is damaged go on as another one, from before the damage. */
  salvageRun(run: string): Promise<SalvagedRun>;
  /** Begins a run of a program from the first events of another one. */
  forkRun(run: string, options: ForkOptions): Promise<ForkedRun>;
  supervisor(options?: SupervisorOptions): Supervisor;
  /** The sibling process that watches it. */
  watchdog(options: WatchdogOptions): Watchdog;
  /** Asks the sibling to see the supervisor out and to end; answers who it is, null where there is none. */
  dismissWatchdog(by: string): Promise<Owner | null>;
  /** The agent's session that this very process is part of; null where it is of none that can be found. */
  callerSession(): CallerSession | null;
  /** What the agent of a session has printed. */
  tailOutput(session: string): OutputTail;
  /** The bytes of one file of a kept tree; null where it holds no such file. */
  readonly keptFile: Workspace["readFile"];
  /** When an id was drawn (an owner's: when its process began); null if it does not show. */
  drawnAt(id: string): number | null;
  close(): Promise<void>;
}

export { api, callerOfStore, sessionBehind };
export type { ApiOptions, Operations };

/** Runs as files, which need no store to be read. */
export const exportedRuns = { lines: exportRun, write: writeWholeFile, open: openExport } as const;
export type ExportedRuns = typeof exportedRuns;

/** What keeps the machine awake, or why nothing does; whether agents can be put into a sandbox here, and its limits. */
export { findSandbox, inhibitorFor, limitsHere };

/** Disks, this process, the guard of agents and copies of a store: the store itself is not opened for them. */
export { backupStore, fullDisks, guardHere, restoreStore, worldHere };

/** What people prove their approvals with. */
export const proofs = { approverKey, newToken, signerOf } as const;
export type Proofs = typeof proofs;
/** The door by which an agent's tools reach their store; it is needed before the store is opened. */
export { readDoor };
export { lookBeforehand, surveyAgents, surveyConfigured, tryAgent };
export type { AgentReport, Trial };

/** The ports of one store; each that needs a folder has one beside the sessions'. */
function portsOn(
  world: World,
  { journal, sessionsFolder }: Pick<OpenedStore, "journal" | "sessionsFolder">,
  options: SystemOptions,
) {
  const known = knownSecrets(process.env, options.settings.secrets);
  const redact = redactor(known);
  siftBy({ table: siftTable(known), redact });
  const fleet = fleetPorts(options.store, sessionsFolder, world);
  const redacting = redactingDrivers(driversOn(world, sessionsFolder, options), redact);
  const drivers = guardedDrivers(redacting, fleet.fence);
  const shell = shellQuality({
    world,
    marked: async (entry) => membersOf(entry, undefined, await nextLook(world)),
    priority: lowPriority(options.settings.supervisor.agentNice),
    environment: options.settings.env,
  });
  const quality = redactingQuality(shell, redact);
  const notifier = redactingNotifier(channelNotifier({ world, env: process.env }), redact);
  const guard = fileGuard({ world, folder: `${sessionsFolder}-trusted` });
  const workspace = gitWorkspace({ world, home: `${sessionsFolder}-trees` });
  const artifacts = fileArtifacts({ world, folder: `${sessionsFolder}-artifacts` });
  const { settings, storeNamed = null } = options;
  const mirror = runMirrors(fileMirrors(world), storeNamed);
  const deaths = fileDeathNotes(world, `${sessionsFolder}-deaths`);
  const sessions = sessionsOn(world, sessionsFolder);
  const awake = keepAwake({ world, folder: `${sessionsFolder}-awake`, isOn: settings.supervisor.keepAwake });
  const ports: Ports = {
    world,
    awake,
    deaths,
    journal: redactingInbox(journal, redact),
    drivers,
    quality,
    notifier,
    post: guardedPost({ world }),
    guard,
    workspace,
    artifacts,
    conversations: carriedConversations(redact),
    storeNamed,
    ...fleet,
    missingContext: missingContext(new Set(drivers.keys()), HEADLESS_AGENTS),
    ...(options.bindings === undefined ? {} : { bindings: options.bindings }),
    ...redactingOrders(options, redact),
    repositories: workspace,
    ...(options.trust === undefined ? {} : { trust: options.trust }),
    ...(options.dashboard === undefined ? {} : { dashboard: options.dashboard }),
    mirror,
    sessionsHere: sessions,
    fullDisks: (folders) => fullDisks([sessionsFolder, ...folders]),
    cleanFolders: cleanFolders(`${sessionsFolder}-clean`, () => world.now()),
    idleFolder: () => emptyFolder(`${sessionsFolder}-idle`),
    principal: (row, request, { run, approverKeys = [] }) =>
      proofPrincipal(row, request, { run, approverKeys, now: world.now() }),
    settings,
  };
  return { ports, awake, deaths, workspace, redact, sessions };
}

const sessionsOn = (world: World, folder: string) => ({
  living: () => livingSessions(world, folder),
  end: (session: string, graceMs: number) => endLiving(world, folder, session, graceMs),
});

/** The composition root: the only place that knows which store, which drivers and which clock are real. */
export async function openSystem(options: SystemOptions): Promise<System> {
  const world = worldHere();
  const { acceptRollback = false } = options;
  const { journal, sessionsFolder, anchor } = await openStore(options.store, world, { acceptRollback });
  const allPorts = portsOn(world, { journal, sessionsFolder }, options);
  const { ports, awake, deaths, workspace, redact, sessions } = allPorts;
  const { settings, drivers } = ports;
  const leases = new Leases(journal, world, settings.lease.ms);
  const store = new StoreSwitch(journal, world, leases);
  return {
    ports,
    leases,
    requests: new Requests(ports.journal, world, leases, { ...ports, redact }),
    store,
    ...standingWork({ ...ports, journal }, leases),
    acceptRollback: (by) =>
      acceptOlder({ journal, anchor, record: (data) => store.acceptRollback(data) }, by),
    endAllSessions: (endOptions) => endAllSessions({ ports, leases, sessions }, endOptions),
    host: new HostSupervisor(ports, leases),
    ...looksOn(world, { journal, sessionsFolder }, settings),
    createRun: (order) => createRun(ports, leases, withoutSecrets(order, redact)),
    unpause: (resource, order) => unpause({ journal, world, leases }, resource, order),
    garbage: garbageOn(sessionsFolder, { journal, leases, world, workspace }),
    archiveRun: (run, folder) =>
      archiveRun({ journal, leases }, run, (order) => writeArchive(ports, order, folder)),
    ...scrubbing({ journal, world, leases }, sessionsFolder),
    salvageRun: (run) => salvageRun({ journal, world, leases }, run),
    forkRun: (run, options) => forkRun({ journal, world, leases }, run, options),
    watchdog: (watchdogOptions) => new Watchdog(ports, leases, watchdogOptions),
    dismissWatchdog: (by) => dismissWatchdog(ports, by),
    supervisor: (supervisorOptions) => new Supervisor(ports, supervisorOptions, leases),
    ...terminalsOf(sessionsFolder, redact),
    callerSession: () => callerOfStore(options.store),
    tailOutput: (session) => redactingTail(tailOutput(sessionsFolder, session), redact),
    ...storeLock(options.store, ports),
    keptFile: (place, snapshot, path) => workspace.readFile(place, snapshot, path),
    drawnAt: timeOfId,
    async close() {
      awake.close();
      deaths.close();
      for (const driver of drivers.values()) await driver.close();
      await workspace.close();
      await journal.close();
    },
  };
}
