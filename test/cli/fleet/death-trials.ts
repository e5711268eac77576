import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { EventData } from "../../../src/model/events/events.ts";
import { Fleet, until, type FleetHost } from "./fleet-hosts.ts";

/** How a host comes to its end, or seems to. */
export const DEATHS = ["host", "supervisor", "supervision", "hung", "cut"] as const;
export type Death = (typeof DEATHS)[number];

export interface Trial {
  readonly death: Death;
  /** From the fault until a process of the agent was seen to be stopped; null where none ever was. */
  readonly frozenMs: number | null;
  /** From the fault until the run was claimed again. */
  readonly claimedMs: number;
  readonly claimedBy: string;
  /** Whether a process of the agent was at work on the first host when another one had claimed the run. */
  readonly wasDouble: boolean;
}

/** A word of the agent's command by which its processes are known from outside. */
export const tokenOf = (run: string): string => `agent-of-${run}`;

/** Counts for ever. */
const COUNTING = `while :; do echo tick >> ticks; sleep 0.1; done`;
const filesFor = (run: string): Record<string, string> => ({
  "holdfast.yaml": JSON.stringify({
    workspace: { isolation: "run" },
    backoff: { baseMs: 1, capMs: 1 },
    agents: { dev: { use: "command", sandbox: "none", command: ["sh", "-c", COUNTING, tokenOf(run)] } },
  }),
});

export interface Watched {
  readonly fleet: Fleet;
  readonly one: FleetHost;
  readonly two: FleetHost;
  readonly run: string;
}

/** Two hosts on cables of their own; a run is at work on the first. */
export async function twoHosts(store: string, run: string, leaseMs: number): Promise<Watched> {
  const fleet = await Fleet.on(store);
  const config = { lease: { ms: leaseMs }, supervisor: { scanMs: 200 } };
  const options = { files: filesFor(run), config, cable: true };
  const [one, two] = await Promise.all([fleet.host("one", options), fleet.host("two", options)]);
  const watched = { fleet, one, two, run };
  await comeBack(watched);
  const begun = await one.call(["run", "count", "--agent", "dev", "--id", run, "--detach"]);
  if (begun.code !== 0) throw new Error(begun.stdout + begun.stderr);
  await until("the agent works", () => isAtWork(run));
  await supervisedOn(fleet, two);
  return watched;
}

/** The host works again as it did before a trial. */
export async function comeBack({ fleet, one, run }: Watched, death: Death | null = null): Promise<void> {
  if (death === "host") await one.boot();
  if (death === "cut") one.mend();
  if (death === "hung") one.signal("CONT", await supervisionOf(fleet, one, BOTH));
  await supervisedOn(fleet, one);
  if (death !== null)
    await until("its agent works on the first host", async () => {
      const last = (await claims(fleet, run)).at(-1);
      return last?.data.host === one.name && last.data.away !== true && isAtWork(run);
    });
}

const BOTH = ["supervisor", "watchdog"] as const;

async function supervisedOn(fleet: Fleet, host: FleetHost): Promise<void> {
  if ((await livingOf(fleet, host, ["supervisor"])).length === 0)
    host.start(["up"], { HOLDFAST_WATCHDOG: "on" });
  await supervisionOf(fleet, host, BOTH);
}

export function isAtWork(run: string): boolean {
  const states = agentStates(run);
  return states.length > 0 && states.every((state) => state !== "T");
}

/** The processes of a run's agent on the first host, by the state that the system shows: R, S, T … */
export function agentStates(run: string): readonly string[] {
  const token = tokenOf(run);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const [words, stat] = [textOf(pid, "cmdline"), textOf(pid, "stat")];
      const isAgent =
        /^[^\0]*sh\0-c\0/.test(words) && words.includes(token) && !words.includes("holdfast-keeper");
      return isAgent ? [stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3)] : [];
    });
}

function textOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

/** Lets one host die in a way, and watches the agent and the journal until the run is claimed again. */
export async function trial(death: Death, watched: Watched): Promise<Trial> {
  const { fleet, one, run } = watched;
  const before = (await claims(fleet, run)).length;
  const end = await deathOf(death, watched);
  const at = Date.now();
  await end();
  let frozenMs: number | null = null;
  for (const late = at + 120_000; Date.now() < late; await delay(20)) {
    const states = agentStates(run);
    if (states.length > 0 && states.every((state) => state === "T")) frozenMs ??= Date.now() - at;
    const claim = (await claims(fleet, run))[before];
    if (claim === undefined) continue;
    const isMoved = claim.data.host !== one.name;
    const wasDouble = isMoved && agentStates(run).some((state) => state !== "T" && state !== "Z");
    return { death, frozenMs, claimedMs: claim.at - at, claimedBy: claim.data.host ?? "", wasDouble };
  }
  throw new Error(`${run} was not claimed again after ${death}`);
}

async function claims(
  fleet: Fleet,
  run: string,
): Promise<readonly { readonly at: number; readonly data: EventData<"RunClaimed"> }[]> {
  const events = await fleet.eventsOf(run);
  return events.flatMap((event) => (event.type === "RunClaimed" ? [{ at: event.at, data: event.data }] : []));
}

/** What is needed for it is looked up before the time is taken. */
async function deathOf(death: Death, { fleet, one }: Watched): Promise<() => Promise<void>> {
  if (death === "host") return () => one.kill();
  if (death === "cut") return () => Promise.resolve(one.cut());
  const pids = await supervisionOf(fleet, one, death === "supervisor" ? ["supervisor"] : BOTH);
  return () => Promise.resolve(one.signal(death === "hung" ? "STOP" : "KILL", pids));
}

/** The pids of the supervisor and its sibling, as they are counted on their host. */
export async function supervisionOf(
  fleet: Fleet,
  host: FleetHost,
  roles: readonly string[],
): Promise<readonly number[]> {
  let pids: readonly number[] = [];
  await until(`${host.name} has a ${roles.join(" and a ")}`, async () => {
    pids = await livingOf(fleet, host, roles);
    return pids.length === roles.length;
  });
  return pids;
}

async function livingOf(fleet: Fleet, host: FleetHost, roles: readonly string[]): Promise<readonly number[]> {
  const holders = await fleet.journal.holders();
  return roles.flatMap((role) =>
    holders
      .filter(({ address }) => address.startsWith(`${role}:${host.name}~`))
      .map(({ owner }) => owner.process)
      .filter((process) => host.lives(process))
      .map(({ pid }) => pid),
  );
}
