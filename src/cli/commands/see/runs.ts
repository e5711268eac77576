import type { Command } from "commander";
import { Fault } from "../../../model/fault.ts";
import { isoTime } from "../../../model/text/iso-time.ts";
import { showExamples, type Bind } from "../../shell/define-command.ts";
import { EXIT } from "../../shell/exit-codes.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { printableLine } from "../../../model/text/printable.ts";
import { troubledResources } from "../../../views/status/status-shared-resources.ts";
import { fullDiskOf } from "../../supervise/host-faults.ts";
import { lookAtSupervision } from "../../supervise/look-at-supervision.ts";
import { runDetails, type RunDetails } from "../../run/run-details.ts";
import { runsFilter, type RunsOptions } from "../../print/runs-filter.ts";
import { detailedTable, listedSupervision, ownerOf } from "../../print/runs-table.ts";
import { storeStanding } from "../../supervise/store-standing.ts";

const TEXT_CHARS_MAX = 400;

export function addRuns(parent: Command, bind: Bind): void {
  const command = parent
    .command("runs")
    .summary("list all runs")
    .description(
      "Lists the runs of the store, newest first: where each works, with which agents, at which step, how long ago it changed, what it cost and who supervises it.",
    )
    .option("--status <statuses>", "only runs in one of these, such as running,blocked")
    .option("--repo <folder>", "only runs of this repository, or of folders below this one")
    .option("--since <time>", "only runs that changed since then: 2h, 7d, or a date")
    .option("--blocked-by <reason>", "only runs that this blocks, such as budget_exhausted")
    .action(bind(runs));
  showExamples(
    command,
    ["runs", "a table"],
    ["runs --repo . --status running,blocked", "what is open in this repository"],
    ["runs --store sqlite:./agents.db --json", "of another store, for programs"],
  );
}

/** An empty list of a store that somebody named by mistake looks like lost runs. */
function refuseAbsent({ store, storeExists }: Invocation): void {
  if (storeExists || store.named === null) return;
  throw new Fault("not_found", `there is no store ${store.shown}: the file does not exist; check --store`, {
    details: { store: store.shown },
  });
}

function runs(call: Invocation, options: RunsOptions): Promise<number> {
  const filter = runsFilter(options, call.surroundings.cwd, Date.now());
  refuseAbsent(call);
  return call.withSystem("empty", async (system) => {
    const damaged: { run: string; text: string; command: string }[] = [];
    const listed = await system.ports.journal.runs({
      ...(filter.statuses === undefined ? {} : { statuses: filter.statuses }),
      onDamaged: (run, { message }) =>
        damaged.push({ run, text: message, command: call.command("salvage", run) }),
    });
    const recent = listed.filter(({ updatedAt }) => updatedAt >= filter.since);
    const found = await runDetails(system, recent);
    const wanted = recent
      .map((listing, at) => ({ listing, details: found[at] as RunDetails }))
      .filter(({ details }) => filter.isWanted(details));
    const listings = wanted.map(({ listing }) => listing);
    const lookedOf = await lookAtSupervision(system, call.store.named);
    const shared = troubledResources(await system.loadGrounds(), system.ports.world.now(), call.store.named);
    const store = await storeStanding(call, system);
    const disk = await fullDiskOf(call);
    call.output.document({
      store,
      ...(disk === null ? {} : { disk }),
      shared,
      ...(damaged.length === 0 ? {} : { damaged }),
      runs: wanted.map(({ listing, details }) => ({
        run: listing.run,
        status: listing.status,
        goal: listing.goal,
        position: listing.seq,
        createdAt: isoTime(listing.createdAt),
        updatedAt: isoTime(listing.updatedAt),
        supervision: listedSupervision(listing, lookedOf),
        ...details,
        owner: ownerOf(lookedOf(listing.run)),
      })),
    });
    if (store !== null) call.output.line(store.text);
    if (disk !== null) call.output.line(disk.text);
    if (listings.length === 0 && Object.keys(options).length > 0) call.output.line("no such run");
    else if (listings.length === 0)
      call.output.line(`no runs yet; start one with ${call.command("run", "say hello", "--agent", "demo")}`);
    else for (const line of detailedTable(wanted, lookedOf)) call.output.line(line);
    for (const { run, text, command } of damaged)
      call.output.line(
        printableLine(`${run} is damaged and unsupervised: ${command} (${text})`, TEXT_CHARS_MAX),
      );
    for (const { text } of shared) call.output.line(printableLine(text, TEXT_CHARS_MAX));
    return EXIT.done;
  });
}
