import type { EndOutcome } from "../../agents/agent-driver.ts";
import { hasSessions } from "../../decide/attempt/quarantine.ts";
import { isSameProcess, whereaboutsOf, type ProcessIdentity } from "../../model/world.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { ENDED_STATUSES, RUN_STATUSES } from "../../model/state/run-status.ts";
import type { Leases } from "../leases.ts";
import { loadRun } from "../load-run.ts";
import { pause, type Ports } from "../ports.ts";
import { Supervisor } from "./supervisor.ts";

/** All sessions of a store on this host, as the processes show them. */
export interface Sessions {
  living(): readonly { readonly session: string; readonly pids: readonly number[] }[] | "unknown";
  end(session: string, graceMs: number): Promise<EndOutcome>;
}

export interface EndAllOptions {
  /** Why: it says how the runs are left. */
  readonly how: "stop_agents" | "store_stopped";
  readonly say: (text: string) => void;
  /** Ends a supervisor that does not do its part. */
  readonly endProcess: (of: ProcessIdentity, how: "asked" | "firmly") => void;
}

/** What was found, and what could not be ended. */
export interface EndedAll {
  readonly runs: readonly string[];
  readonly sessions: number;
  /** One line each: a session that lives, or a run of another host that still has one. */
  readonly left: readonly string[];
}

/** So long supervisors have to suspend their sessions; then they are ended from here. */
const POLITE_MS = 6_000;
const GRACE_MS = 3_000;
/** A supervisor that has not noticed by then that its sessions are gone is hung. */
const HUNG_MS = 11_000;
const KILL_MS = 1_000;
const LAST_MS = 14_000;
const LOOK_MS = 200;

interface Work {
  readonly ports: Ports;
  readonly leases: Leases;
  readonly sessions: Sessions;
  readonly options: EndAllOptions;
  readonly beganAt: number;
  readonly draining: Map<string, { readonly supervisor: Supervisor; done: boolean }>;
  /** Runs as they were folded last: a look folds only what was written since. */
  readonly folded: Map<string, { readonly seq: number; readonly state: RunState | null }>;
}

/**
 * Ends every session of a store on this host. The one that owns a run suspends its sessions; runs without a living
 * owner are drained here, so that their journals say the same. What lives after that is ended directly, through its
 * mark, and a supervisor that is hung is ended as well: what it left is found in the journal by the next one.
 */
export async function endAllSessions(
  { ports, leases, sessions }: Pick<Work, "ports" | "leases" | "sessions">,
  options: EndAllOptions,
): Promise<EndedAll> {
  const work: Work = {
    ports,
    leases,
    sessions,
    options,
    beganAt: ports.world.now(),
    draining: new Map(),
    folded: new Map(),
  };
  const seen = new Set<string>();
  const runs = new Set<string>();
  const isDone = async (): Promise<boolean> => {
    const living = sessions.living();
    if (living !== "unknown") for (const { session } of living) seen.add(session);
    const open = await runsWithSessions(work);
    for (const { run } of open) runs.add(run);
    for (const state of open) await drainIfLeft(work, state);
    return living !== "unknown" && living.length === 0 && open.every((state) => !isHere(ports, state));
  };
  try {
    if (!(await until(work, POLITE_MS, isDone))) await endDirectly(work);
    if (!(await until(work, HUNG_MS, isDone))) await endHung(work);
    await until(work, LAST_MS, isDone);
  } finally {
    for (const { supervisor } of work.draining.values()) supervisor.stop();
  }
  return { runs: [...runs], sessions: seen.size, left: await whatIsLeft(work) };
}

async function until({ ports: { world }, beganAt }: Work, ms: number, isDone: () => Promise<boolean>) {
  for (;;) {
    if (await isDone()) return true;
    if (world.now() - beganAt >= ms) return false;
    await pause(world, LOOK_MS);
  }
}

const LIVE = RUN_STATUSES.filter((status) => !ENDED_STATUSES.includes(status));

/** Runs whose journal names a session that may be alive. */
async function runsWithSessions({ ports: { journal }, folded }: Work): Promise<RunState[]> {
  const listed = await journal.runs({ statuses: LIVE });
  for (const { run, seq } of listed)
    if (folded.get(run)?.seq !== seq)
      folded.set(run, { seq, state: await loadRun(journal, run).catch(() => null) });
  const states = listed.map(({ run }) => folded.get(run)?.state ?? null);
  return states.flatMap((state) => (state?.kind === "supervised" && hasSessions(state) ? [state] : []));
}

const isHere = ({ world }: Ports, { host }: RunState): boolean => host === null || host === world.self.host;

/** A run that nobody owns is taken to record that its sessions are suspended. */
async function drainIfLeft({ ports, leases, options, draining }: Work, state: RunState): Promise<void> {
  const { run } = state;
  const known = draining.get(run);
  if (known?.done === false || !isHere(ports, state) || (await leases.isHeld(run))) return;
  const supervisor = new Supervisor(ports, { only: run, drains: options.how }, leases);
  const one = { supervisor, done: false };
  draining.set(run, one);
  const settle = (): void => {
    one.done = true;
  };
  // One that cannot be drained is still ended directly, and named if that fails too.
  void supervisor.work().then(settle, settle);
}

async function endDirectly({ sessions, options }: Work): Promise<void> {
  const living = sessions.living();
  if (living === "unknown" || living.length === 0) return;
  options.say(`${String(living.length)} sessions are still alive and are ended directly`);
  await Promise.all(living.map(({ session }) => sessions.end(session, GRACE_MS)));
}

/** Only processes of Holdfast own runs of agents, so only those are ended. */
async function endHung(work: Work): Promise<void> {
  const { ports, options, draining } = work;
  const holders = new Map<number, ProcessIdentity>();
  for (const state of await runsWithSessions(work)) {
    const process = (await ports.journal.lease(state.run))?.owner?.process;
    if (process === undefined || draining.get(state.run)?.done === false) continue;
    const isOurs = isSameProcess(process, ports.world.self);
    if (!isOurs && whereaboutsOf(ports.world.self, process) === "here") holders.set(process.pid, process);
  }
  for (const how of ["asked", "firmly"] as const) {
    for (const process of holders.values()) {
      if (ports.world.liveness(process) !== "alive") continue;
      options.say(`the supervisor with pid ${String(process.pid)} does not answer and is ended`);
      options.endProcess(process, how);
    }
    if (holders.size > 0) await pause(ports.world, KILL_MS);
  }
}

async function whatIsLeft(work: Work): Promise<string[]> {
  const { ports, sessions } = work;
  const living = sessions.living();
  if (living === "unknown")
    return ["the process table could not be read, so it is not known what is still alive"];
  const open = await runsWithSessions(work);
  return [
    ...living.map(({ session, pids }) => `session ${session}: pid ${pids.join(", ")}`),
    ...open
      .filter((state) => !isHere(ports, state))
      .map(({ run, host }) => `${run} on host ${host ?? "unknown"} has a session that is not ended yet`),
    ...(await inOtherContainers(ports, open)),
    ...(await inProcess(ports, open)),
  ];
}

/** Their processes cannot be seen from here, nor ended. */
async function inOtherContainers(ports: Ports, open: readonly RunState[]): Promise<string[]> {
  const { self } = ports.world;
  const left: string[] = [];
  for (const state of open.filter((one) => isHere(ports, one))) {
    const owner = (await ports.journal.lease(state.run))?.owner?.process;
    if (owner !== undefined && whereaboutsOf(self, owner) === "elsewhere")
      left.push(`${state.run} is supervised in another container of ${self.host}; end its sessions there`);
  }
  return left;
}

/** Registered functions live in the process of their supervisor, and bear no mark. */
async function inProcess(ports: Ports, open: readonly RunState[]): Promise<string[]> {
  const left: string[] = [];
  for (const state of open) {
    const owner = (await ports.journal.lease(state.run))?.owner?.process;
    const isFunction = Object.values(state.attempts).some(({ agent }) => {
      const spec = state.agents[agent];
      return spec?.use === "function" && spec.module === undefined;
    });
    if (!isFunction || owner === undefined || isSameProcess(owner, ports.world.self)) continue;
    if (isHere(ports, state) && ports.world.liveness(owner) === "alive")
      left.push(`${state.run}: a function at work in pid ${String(owner.pid)}`);
  }
  return left;
}
