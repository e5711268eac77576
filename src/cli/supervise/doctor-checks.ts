import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import path from "node:path";
import type { System } from "../../main.ts";
import { errorText } from "../../model/fault.ts";
import { fullDiskText } from "../../model/host/host-fault.ts";
import { driftFinding, worktreesFinding } from "../doctor-trees.ts";
import { databaseFinding, restartsFinding, supervisorFinding } from "./doctor-supervisor.ts";
import type { Finding } from "./doctor-finding.ts";
import { loadConfig } from "../config/load-config.ts";
import type { Invocation } from "../shell/invocation.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { jumpText } from "../../views/status/jump-text.ts";
import { clockJumpsOfRuns, fullDisksOf, hostFaultsOfRuns } from "./host-faults.ts";
import { leftSessions, leftSessionsText } from "./left-sessions.ts";
import { pausedResources } from "./paused-resources.ts";
import { storeStanding } from "./detached-supervisor.ts";

type Check = (call: Invocation) => Promise<Finding | null>;

const NODE_MAJOR_MIN = 24;

const ok = (name: string, text: string): Finding => ({ name, state: "ok", text, remedy: null });

const checkNode: Check = async () => {
  const { node } = process.versions;
  if (Number(node.split(".")[0]) >= NODE_MAJOR_MIN) return ok("Node", node);
  return {
    name: "Node",
    state: "fail",
    text: node,
    remedy: `install Node ${String(NODE_MAJOR_MIN)} or newer`,
  };
};

/** Looks only: the folder is made by the first run, and what is not there yet is assessed by what is above it. */
const checkStateFolder: Check = async ({ stateFolder }) => {
  const name = "state folder";
  let folder = stateFolder;
  while (!existsSync(folder)) folder = path.dirname(folder);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const remedy = `make ${folder} writable, or name another folder with HOLDFAST_HOME`;
    return { name, state: "fail", text: `${stateFolder} cannot be written: ${errorText(error)}`, remedy };
  }
  return ok(name, folder === stateFolder ? stateFolder : `${stateFolder} (made by the first run)`);
};

const checkConfiguration: Check = async ({ surroundings: { cwd }, hostFolder }) => {
  const name = "configuration";
  try {
    const warnings: string[] = [];
    const { file, config } = await loadConfig({ cwd, hostFolder, warn: (text) => warnings.push(text) });
    if (warnings.length > 0)
      return { name, state: "warn", text: warnings.join("; "), remedy: "holdfast config show" };
    const agents = Object.keys(config.agents).join(", ");
    return ok(
      name,
      file === null ? "none here; defaults are used" : `${file} (agents: ${agents === "" ? "none" : agents})`,
    );
  } catch (error) {
    return {
      name,
      state: "fail",
      text: errorText(error),
      remedy: "mend it; `holdfast config schema` prints what it may contain",
    };
  }
};

const checkStore: Check = async (call) => {
  const name = "store";
  if (!call.storeExists) return ok(name, `${call.store.shown} (made by the first run)`);
  try {
    const { damages, runs } = await withDefaults(call, async ({ ports: { journal } }) => {
      const found = await journal.verify();
      return { damages: found, runs: found.length > 0 ? 0 : (await journal.runs()).length };
    });
    const [first] = damages;
    if (first === undefined)
      return ok(name, `${call.store.shown} (${String(runs)} runs, all as they were written)`);
    const text = `${call.store.shown} is damaged in ${String(damages.length)} places, first: ${first.what}`;
    return {
      name,
      state: "fail",
      text,
      remedy: `see ${call.command("verify")}, and restore the store from a copy`,
    };
  } catch (error) {
    return {
      name,
      state: "fail",
      text: errorText(error),
      remedy: "see the message; another store is named with --store",
    };
  }
};

const checkSupervisor: Check = async (call) => {
  const name = "supervisor";
  if (!call.storeExists) return ok(name, "none, and none is needed");
  try {
    return await withDefaults(call, async (system) => {
      const store = await storeStanding(call, system);
      if (store !== null) return { name, state: "warn", text: store.text, remedy: store.command };
      const living = await supervisorFinding(call, system);
      const found = restartsFinding(call, system, living) ?? living;
      return found ?? unwatched(call, name, await waiting(system));
    });
  } catch (error) {
    return { name, state: "warn", text: `not known: ${errorText(error)}`, remedy: "mend the store first" };
  }
};

/** What nothing is started on, and what ends the pause. */
const checkShared: Check = async (call) => {
  const name = "shared resources";
  if (!call.storeExists) return ok(name, "none is paused");
  try {
    const paused = await withDefaults(call, (system) => pausedResources(call, system));
    if (paused.length === 0) return ok(name, "none is paused");
    const text = paused.map((one) => one.text).join("; ");
    const only = paused.length === 1 ? paused[0]?.command : null;
    return { name, state: "warn", text, remedy: only ?? call.command("unpause") };
  } catch (error) {
    return { name, state: "warn", text: `not known: ${errorText(error)}`, remedy: "mend the store first" };
  }
};

/** What the host has run out of: room on the disk of the store, and what effects of runs wait for. */
const checkHost: Check = async (call) => {
  const name = "host";
  const [disk] = await fullDisksOf(call);
  if (disk !== undefined)
    return { name, state: "fail", text: fullDiskText(disk), remedy: `df -h ${disk.folder}` };
  if (!call.storeExists) return ok(name, "nothing has run out");
  try {
    const waiting = await withDefaults(call, (system) => hostFaultsOfRuns(system, call.store.named));
    const [first] = waiting;
    if (first === undefined) return ok(name, "nothing has run out");
    const text = `${String(waiting.length)} effects of runs wait for the host, first: ${first.what} of ${first.run}: ${first.text}`;
    return { name, state: "warn", text, remedy: call.command("status", first.run) };
  } catch (error) {
    return { name, state: "warn", text: `not known: ${errorText(error)}`, remedy: "mend the store first" };
  }
};

/** Jumps of the wall clock explain times that do not fit; no run needs anything because of them. */
const checkClock: Check = async (call) => {
  const name = "clock";
  if (!call.storeExists) return ok(name, "no jump was noticed");
  try {
    const jumps = await withDefaults(call, clockJumpsOfRuns);
    const [last] = jumps;
    if (last === undefined) return ok(name, "no jump was noticed within a day");
    const more = jumps.length === 1 ? "" : ` (${String(jumps.length)} runs noticed jumps)`;
    return ok(name, `${isoTime(last.at)} ${jumpText(last)}${more}; ${call.command("status", last.run)}`);
  } catch (error) {
    return { name, state: "warn", text: `not known: ${errorText(error)}`, remedy: "mend the store first" };
  }
};

/** Sessions of attempts that have ended: shown, never ended by themselves. */
const checkSessions: Check = async (call) => {
  const name = "sessions";
  if (!call.storeExists) return ok(name, "none");
  try {
    const found = await withDefaults(call, (system) => leftSessions(system));
    if (found.length === 0) return ok(name, "no session of an attempt that has ended still runs");
    const text = `${leftSessionsText(found.length)}: ${found.map(({ session }) => session).join(", ")}`;
    return { name, state: "warn", text, remedy: call.command("investigate") };
  } catch (error) {
    return { name, state: "warn", text: `not known: ${errorText(error)}`, remedy: "mend the store first" };
  }
};

/** What is known only from the runs of the store. */
type Find = (call: Invocation, system: System) => Promise<Finding | null>;
const ofRuns =
  (name: string, none: string | null, find: Find): Check =>
  async (call) => {
    if (!call.storeExists) return none === null ? null : ok(name, none);
    try {
      return await withDefaults(call, (system) => find(call, system));
    } catch (error) {
      return { name, state: "warn", text: `not known: ${errorText(error)}`, remedy: "mend the store first" };
    }
  };

const checkDatabase = ofRuns("database", null, (_call, system) => databaseFinding(system));
const checkDrift = ofRuns("drift", "nothing moved under a run", driftFinding);
const checkWorktrees = ofRuns("worktrees", "none is missing", (call, system) =>
  worktreesFinding(call, system, (work) => withDefaults(call, work)),
);

/** Runs that want work and that nobody works. */
async function waiting({ ports, leases }: System): Promise<number> {
  const onDamaged = (): void => undefined;
  const runs = await ports.journal.runs({ statuses: ["queued", "running", "pausing"], onDamaged });
  let count = 0;
  for (const { run } of runs) if (!(await leases.isHeld(run))) count += 1;
  return count;
}

const unwatched = (call: Invocation, name: string, runs: number): Finding =>
  runs === 0
    ? ok(name, "none, and none is needed")
    : {
        name,
        state: "warn",
        text: `none, and ${String(runs)} runs are unsupervised`,
        remedy: call.command("up", "--detach"),
        fix: {
          does: "starts a supervisor",
          apply: () =>
            withDefaults(call, async (system) => {
              const { ensureSupervisor, workerText } = await import("./detached-supervisor.ts");
              return workerText(await ensureSupervisor(call, system));
            }),
        },
      };

/** The store is assessed apart from the configuration, which may be what is broken. */
async function withDefaults<T>(call: Invocation, work: (system: System) => Promise<T>): Promise<T> {
  const { configSchema } = await import("../../model/settings/config.ts");
  const { openSystem } = await import("../../main.ts");
  const system = await openSystem({ store: call.store.url, settings: configSchema.parse({}) });
  try {
    return await work(system);
  } finally {
    await system.close();
  }
}

const checkProgram =
  (name: string, version: string, need: string): Check =>
  async () => {
    const done = spawnSync(name, [version], {
      encoding: "utf8",
      timeout: 5_000,
      stdio: ["ignore", "pipe", "ignore"],
    });
    if (done.status === 0) return ok(name, done.stdout.trim().split("\n")[0] ?? "");
    return { name, state: "warn", text: "not found", remedy: `install ${name}: ${need}` };
  };

/** Whether an inhibitor can be had is seen only by having one. */
const checkAwake: Check = async (call) => {
  const name = "kept awake";
  const { inhibitorFor } = await import("../../main.ts");
  const isOn = (await call.host().catch(() => null))?.supervisor.keepAwake ?? true;
  const order = inhibitorFor({ isOn });
  if (typeof order === "string") return { name, state: "warn", text: order, remedy: null };
  const [program, ...args] = order;
  const by = path.basename(program);
  if (by !== "systemd-inhibit") return ok(name, `while agents work, by ${by}`);
  const done = spawnSync(program, args, { encoding: "utf8", input: "", timeout: 5_000 });
  if (done.status === 0) return ok(name, `while agents work, by ${by}`);
  const text = `not possible here: ${by}: ${done.stderr.trim().split("\n")[0] ?? "no answer"}`;
  return { name, state: "warn", text, remedy: "keep the machine from sleeping by its own settings" };
};

/** Whether agents that work without asking can be kept from the rest of the machine. */
const checkSandbox: Check = async (call) => {
  const name = "sandbox";
  const { findSandbox, limitsHere } = await import("../../main.ts");
  const defaults = (await call.host().catch(() => null))?.sandbox;
  const found = findSandbox();
  const agents = `sandbox.agents: ${defaults?.agents ?? "auto"}`;
  if (found.kind === "possible") {
    const limits = defaults === undefined ? "" : `; ${await limitsHere(defaults.limits)}`;
    return ok(name, `bubblewrap ${found.version} (${agents}${limits})`);
  }
  const text = `not possible here: ${found.why} (${agents})`;
  return { name, state: defaults?.agents === "required" ? "fail" : "warn", text, remedy: found.remedy };
};

/** In the order in which a person would mend them. */
export const CHECKS: readonly Check[] = [
  checkNode,
  checkStateFolder,
  checkConfiguration,
  checkHost,
  checkClock,
  checkStore,
  checkDatabase,
  checkSupervisor,
  checkShared,
  checkSessions,
  checkWorktrees,
  checkDrift,
  checkProgram("git", "--version", "workspaces and checkpoints need it"),
  checkProgram("tmux", "-V", "agents with a terminal of their own need it"),
  checkSandbox,
  checkAwake,
];
