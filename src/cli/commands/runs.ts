import type { Command } from "commander";
import { isoTime } from "../../model/iso-time.ts";
import { showExamples, type Bind } from "../define-command.ts";
import { EXIT } from "../exit-codes.ts";
import type { Invocation } from "../invocation.ts";
import { printableLine } from "../../model/printable.ts";
import { troubledGrounds } from "../../views/status-grounds.ts";
import { fullDiskOf } from "../host-faults.ts";
import { lookAtSupervision } from "../look-at-supervision.ts";
import { listedSupervision, runsTable } from "../runs-table.ts";
import { storeStanding } from "../store-standing.ts";

const TEXT_CHARS_MAX = 400;

export function addRuns(parent: Command, bind: Bind): void {
  const command = parent
    .command("runs")
    .summary("list all runs")
    .description("Lists the runs of the store, newest first.")
    .action(bind(runs));
  showExamples(
    command,
    ["runs", "a table"],
    ["runs --store sqlite:./agents.db --json", "of another store, for programs"],
  );
}

function runs(call: Invocation): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const damaged: { run: string; text: string; command: string }[] = [];
    const listings = await system.rooms.journal.runs({
      onDamaged: (run, { message }) =>
        damaged.push({ run, text: message, command: call.command("salvage", run) }),
    });
    const lookedOf = await lookAtSupervision(system, call.store.named);
    const shared = troubledGrounds(await system.loadGrounds(), system.rooms.world.now(), call.store.named);
    const store = await storeStanding(call, system);
    const disk = await fullDiskOf(call);
    call.output.document({
      store,
      ...(disk === null ? {} : { disk }),
      shared,
      ...(damaged.length === 0 ? {} : { damaged }),
      runs: listings.map((listing) => ({
        run: listing.run,
        status: listing.status,
        goal: listing.goal,
        position: listing.seq,
        createdAt: isoTime(listing.createdAt),
        updatedAt: isoTime(listing.updatedAt),
        supervision: listedSupervision(listing, lookedOf),
      })),
    });
    if (store !== null) call.output.line(store.text);
    if (disk !== null) call.output.line(disk.text);
    if (listings.length === 0)
      call.output.line(`no runs yet; start one with ${call.command("run", "say hello", "--agent", "demo")}`);
    else for (const line of runsTable(listings, lookedOf)) call.output.line(line);
    for (const { run, text, command } of damaged)
      call.output.line(
        printableLine(`${run} is damaged, and nobody works it: ${command} (${text})`, TEXT_CHARS_MAX),
      );
    for (const { text } of shared) call.output.line(printableLine(text, TEXT_CHARS_MAX));
    return EXIT.done;
  });
}
