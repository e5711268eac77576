import type { Command } from "commander";
import { tableLines } from "../../print/table.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import type { System } from "../../../main.ts";
import { homeAddress } from "../../../model/host/supervision.ts";
import type { HostRecord } from "../../../model/host/host-record.ts";
import { HOST_COLUMNS, hostRow, hostView, type HostView } from "../../../views/fleet/host-view.ts";

export const ONE_MACHINE = "the store is a file of this machine: hosts share a store on PostgreSQL";

export function addHosts(parent: Command, bind: Bind): void {
  parent
    .command("hosts")
    .summary("the hosts that share the store")
    .description(
      "Lists the hosts whose supervisors have worked this store on PostgreSQL: state (joining, up, draining, down), runs, version, free memory and disk, agents whose programs were found.",
    )
    .addHelpText("after", examples(["hosts", "one line for each"], ["hosts --json", "for programs"]))
    .action(bind(hosts));
}

function hosts(call: Invocation): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const found = await listHosts(system);
    call.output.document({ hosts: found ?? [] });
    if (found === null) call.output.line(ONE_MACHINE);
    else if (found.length === 0)
      call.output.line(`no host has worked this store yet; start one with ${call.command("up")}`);
    else for (const line of tableLines([HOST_COLUMNS, ...found.map(hostRow)])) call.output.line(line);
    return EXIT.done;
  });
}

/** Hosts that share the store, with the runs that each works now; null where the store is a file of this machine. */
export async function listHosts({ ports: { journal } }: System): Promise<HostView[] | null> {
  if (journal.hosts === undefined) return null;
  const holders = await journal.holders();
  const runsOf = ({ facts }: HostRecord): number => {
    const owner = holders.find(({ address }) => address === homeAddress(facts))?.owner.id;
    return holders.filter((one) => one.owner.id === owner && !one.address.includes(":")).length;
  };
  return (await journal.hosts.list()).map((record) => hostView(record, runsOf(record)));
}
