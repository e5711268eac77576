import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import type { System } from "../../../main.ts";
import { isFault } from "../../../model/fault.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { lookAtSupervision } from "../../supervise/look-at-supervision.ts";
import { notSupervisedLines } from "../../print/runs-table.ts";
import { endSessions } from "./stop.ts";
import { whoAsks } from "../../ask/who-asks.ts";

const LOOK_EVERY_MS = 50;

type Holder = NonNullable<Awaited<ReturnType<System["host"]["holder"]>>>;

export function addDown(parent: Command, bind: Bind): void {
  parent
    .command("down")
    .summary("end the supervisor of this host")
    .description(
      "Asks the supervisor to release all runs and end. Runs are not ended: the next `up` continues them.",
    )
    .option("--stop-agents", "also end the sessions that could go on without it")
    .addHelpText(
      "after",
      examples(
        ["down", "agents that can work without a supervisor go on"],
        ["down --stop-agents", "every session of every run is suspended, and continued by the next `up`"],
      ),
    )
    .action(bind(down));
}

function down(call: Invocation, { stopAgents = false }: { readonly stopAgents?: boolean }): Promise<number> {
  return call.withSystem("empty", async (system, config) => {
    const living = await system.host.holder();
    const meant = await call.plan("supervisor", () => living?.id ?? null);
    // A request that is begun again is not for a supervisor that was started since.
    const holder = living?.id === meant ? living : null;
    if (holder === null && meant !== null)
      return report(call, "ended", null, null, "the supervisor has ended");
    const by = whoAsks(call);
    const waitMs = config.requests.answerWaitMs;
    const request = call.asked.request ?? system.ports.world.id("req");
    if (holder !== null)
      await evenIfStopped(system, holder, () => system.host.askToEnd({ stopAgents, by, request }));
    // It would bring back what it has not seen ending as it should; it also ends what is stuck.
    const sibling = await evenIfStopped(system, holder, () => system.dismissWatchdog(by));
    // Sessions end within a bound, whether the supervisor does its part or not.
    const left = stopAgents ? await stopSessions(call, system, { holder, waitMs }) : null;
    const hasGone = holder === null || (await hasEnded(system, holder, waitMs));
    if (hasGone && sibling !== null) await hasEnded(system, sibling, waitMs);
    const code = printEnd(call, holder, hasGone, left);
    await sayLeft(call, system);
    return code;
  });
}

/**
 * A supervisor that is stopped reads no request: it goes on once that is recorded, in order to end. Where it was stopped
 * in the middle of a write to the store, nothing can be recorded before it goes on; so does its sibling then.
 */
async function evenIfStopped<T>(system: System, holder: Holder | null, write: () => Promise<T>): Promise<T> {
  const resumed = (): void => {
    if (holder !== null) system.resume(holder.process);
  };
  try {
    const written = await write();
    resumed();
    return written;
  } catch (fault) {
    if (!isFault(fault, "store_busy") || !(await resumeLockHolder(system))) throw fault;
    return await write().finally(resumed);
  }
}

/** Answers whether it is a stopped process of ours. */
async function resumeLockHolder(system: System): Promise<boolean> {
  const { journal, world } = system.ports;
  const lock = system.lockHolder();
  if (lock?.stopped !== true) return false;
  const { pid, startedAt } = lock;
  const isOurs = (await journal.holders()).some(
    ({ address, owner: { process } }) =>
      /^(supervisor|watchdog):/.test(address) && process.pid === pid && process.startedAt === startedAt,
  );
  if (isOurs) system.resume({ ...world.self, pid, startedAt });
  return isOurs;
}

type Left = readonly string[] | null;

function printEnd(call: Invocation, holder: Holder | null, hasGone: boolean, left: Left): number {
  if (holder === null) return report(call, "not_running", null, left, "no supervisor was running here");
  const { pid } = holder.process;
  const who = `the supervisor with pid ${String(pid)}`;
  return hasGone
    ? report(call, "ended", pid, left, `${who} has ended`)
    : report(call, "asked", pid, left, `${who} was asked to end, and is still at it`);
}

interface Stopping {
  readonly holder: Holder | null;
  readonly waitMs: number;
}

/** All at once: what does not end politely is ended directly, and what is left after that is named. */
async function stopSessions(call: Invocation, system: System, stopping: Stopping): Promise<Left> {
  const [{ left }] = await Promise.all([
    endSessions(call, system, "stop_agents"),
    pauseOthers(call, system, stopping),
  ]);
  return left;
}

/** A `run` in the foreground supervises its run itself: it is asked to pause it, which ends its sessions. */
async function pauseOthers(call: Invocation, system: System, { holder, waitMs }: Stopping): Promise<void> {
  const { journal } = system.ports;
  const pauseIfHeld = async (run: string): Promise<void> => {
    const owner = (await journal.lease(run))?.owner ?? null;
    const isSupervised = owner !== null && [holder?.id, system.leases.owner.id].includes(owner.id);
    if (isSupervised || !(await system.leases.isHeld(run))) return;
    await system.requests.ask(run, { kind: "pause" }, { by: whoAsks(call), waitMs });
    call.output.line(`${run} is paused; continue with ${call.command("resume", run)}`);
  };
  const listed = await journal.runs({ statuses: ["queued", "running"] });
  await Promise.all(listed.map(({ run }) => pauseIfHeld(run)));
}

async function hasEnded({ host, ports }: System, holder: Holder, waitMs: number): Promise<boolean> {
  for (const until = Date.now() + waitMs; Date.now() < until; await delay(LOOK_EVERY_MS))
    if (ports.world.liveness(holder.process) === "gone") return true;
  return (await host.holder())?.id !== holder.id;
}

/** What nobody acts on from now on. */
async function sayLeft(call: Invocation, system: System): Promise<void> {
  const listings = await system.ports.journal.runs();
  const lookedOf = await lookAtSupervision(system, call.store.named);
  for (const line of notSupervisedLines(listings, lookedOf)) call.output.line(line);
}

function report(
  call: Invocation,
  state: "not_running" | "ended" | "asked",
  pid: number | null,
  left: readonly string[] | null,
  text: string,
): number {
  call.output.document({ state, pid, ...(left === null ? {} : { left }) });
  call.output.line(text);
  for (const line of left ?? []) call.output.line(`still alive: ${line}`);
  return (left ?? []).length === 0 ? EXIT.done : EXIT.unsuccessful;
}
