import type { Command } from "commander";
import { HOST_COLUMNS, hostRow } from "../../../views/fleet/host-view.ts";
import { tableLines } from "../../print/table.ts";
import { showExamples, type Bind } from "../../shell/define-command.ts";
import { EXIT } from "../../shell/exit-codes.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { listHosts } from "./list-hosts.ts";

export const ONE_MACHINE = "the store is a file of this machine: hosts share a store on PostgreSQL";

export function addHosts(parent: Command, bind: Bind): void {
  const command = parent
    .command("hosts")
    .summary("the hosts that share the store")
    .description(
      "Lists the hosts whose supervisors have worked this store on PostgreSQL: state (joining, up, draining, down), runs, version, free memory and disk, agents whose programs were found.",
    )
    .action(bind(hosts));
  showExamples(command, ["hosts", "one line for each"], ["hosts --json", "for programs"]);
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
