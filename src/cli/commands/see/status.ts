import type { Command } from "commander";
import type { Reader } from "../../../open-reader.ts";
import { Fault, isFault } from "../../../model/fault.ts";
import { damagedStatusView, type StatusView } from "../../../views/status/status.ts";
import { withFullDisks } from "../../../views/status/full-disk-status.ts";
import { openSessions, sessionLines } from "../../continuous/open-sessions.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { findRun, newestRun } from "../../run/find-run.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { apiOf } from "../../server/api-file.ts";
import { lookAtSupervision, supervisedStatus } from "../../supervise/look-at-supervision.ts";
import { fullDisksOf } from "../../supervise/host-faults.ts";
import { leftSessions, leftSessionsText } from "../../supervise/left-sessions.ts";
import { nameStore } from "../../shell/name-store.ts";
import { runsTable } from "../../print/runs-table.ts";
import { pausedResources } from "../../supervise/paused-resources.ts";
import { workOf, type RunWork } from "../../ask/run-work.ts";
import { storeStanding } from "../../supervise/detached-supervisor.ts";
import { statusLines } from "../../print/status-lines.ts";

export function addStatus(parent: Command, bind: Bind): void {
  parent
    .command("status")
    .summary("where a run stands")
    .description(
      "Shows where a run stands: state, health, current step, and if it is blocked the reason and the command that helps. " +
        "Without RUN: the newest run that has not ended, or the newest of all.",
    )
    .argument("[RUN]", "the run's id, or the beginning or end of it")
    .addHelpText(
      "after",
      examples(
        ["status", "the run at hand, and which others are open"],
        ["status mail-1 --json", "everything about one run, for programs"],
      ),
    )
    .action(bind(status));
}

/** The work of the command. */
export function status(call: Invocation, text: string | undefined): Promise<number> {
  return call.withReader(async (system) => {
    if (text !== undefined) return showOne(call, system, await findRun(system.ports.journal, text));
    const { isEnded, RUN_STATUSES } = await import("../../../model/state/run-status.ts");
    const open = RUN_STATUSES.filter((name) => !isEnded(name));
    const onDamaged = (run: string, { message }: Fault): void =>
      call.output.note(`holdfast: ${run} is damaged: ${message}; see ${call.command("salvage", run)}`);
    const live = await system.ports.journal.runs({ statuses: open, onDamaged });
    const [first, ...others] = live;
    if (first === undefined || others.length === 0)
      return showOne(call, system, first?.run ?? (await newestRun(system.ports.journal)));
    return showSeveral(call, system, live);
  });
}

async function showOne(call: Invocation, system: Reader, run: string): Promise<number> {
  const { view, code, work } = await viewOf(call, system, run);
  const left = code === EXIT.done ? await leftSessions(system, run) : [];
  const store = await storeStanding(call, system);
  const paused = await pausedResources(call, system);
  const api = apiOf(call, system);
  const sessions = await openSessions(call, system);
  const more = {
    ...api,
    ...(sessions.length === 0 ? {} : { continuous: sessions }),
    ...(left.length === 0 ? {} : { leftSessions: left }),
    ...(work === null ? {} : { work }),
  };
  call.output.document({ ...view, store, paused, ...more });
  if (store !== null) call.output.line(store.text);
  for (const { text } of paused) call.output.line(text);
  for (const line of statusLines(view, work)) call.output.line(line);
  for (const line of sessionLines(sessions)) call.output.line(line);
  if (api.api !== undefined) call.output.line(`API: ${api.api.url}; a browser: ${call.command("dashboard")}`);
  if (left.length > 0)
    call.output.line(`${leftSessionsText(left.length)}: see ${call.command("investigate", run)}`);
  return code;
}

type Listings = Awaited<ReturnType<Reader["ports"]["journal"]["runs"]>>;

/** The document keeps one shape, whether one run is open or ten. */
async function showSeveral(call: Invocation, system: Reader, live: Listings): Promise<number> {
  const [first, ...others] = live;
  if (first === undefined) return EXIT.done;
  const sessions = await openSessions(call, system);
  if (call.output.json) {
    const { view, code } = await viewOf(call, system, first.run);
    const store = await storeStanding(call, system);
    call.output.document({
      ...view,
      store,
      paused: await pausedResources(call, system),
      ...apiOf(call, system),
      ...(sessions.length === 0 ? {} : { continuous: sessions }),
      others: others.map(({ run, status, goal }) => ({ run, status, goal })),
    });
    return code;
  }
  const store = await storeStanding(call, system);
  if (store !== null) call.output.line(store.text);
  for (const { text } of await pausedResources(call, system)) call.output.line(text);
  call.output.line(`${String(live.length)} runs have not ended`);
  for (const line of runsTable(live, await lookAtSupervision(system, call.store.named)))
    call.output.line(line);
  for (const line of sessionLines(sessions)) call.output.line(line);
  call.output.line(`see ${call.command("status", first.run)}`);
  return EXIT.done;
}

/** A damaged journal is reported as such, and by the exit code; nothing of the run is guessed. */
async function viewOf(
  call: Invocation,
  system: Reader,
  run: string,
): Promise<{ view: StatusView; code: number; work: RunWork | null }> {
  try {
    const state = await system.loadRun(run);
    const damage = state === null ? null : await system.damageOf(run);
    if (damage !== null) throw damage;
    if (state !== null) {
      const view = await supervisedStatus(system, state, call.store.named);
      const seen = withFullDisks(view, await fullDisksOf(call), call.store.named);
      return { view: seen, code: EXIT.done, work: await workOf(call, system, state) };
    }
  } catch (error) {
    if (!isFault(error, "journal_damaged")) throw error;
    const fault = new Fault(error.code, nameStore(error.message, call.store.named), error);
    call.output.note(`holdfast: ${fault.message}`);
    const listings = await system.ports.journal.runs({ onDamaged: () => undefined });
    const listed = listings.find((listing) => listing.run === run) ?? { run };
    return { view: damagedStatusView(listed, fault, call.store.named), code: EXIT.store, work: null };
  }
  throw new Fault("not_found", `the run "${run}" is no longer in this store`);
}
