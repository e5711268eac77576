import type { Command } from "commander";
import type { System } from "../../../main.ts";
import { Fault } from "../../../model/fault.ts";
import type { HostView } from "../../../views/fleet/host-view.ts";
import { personOnly } from "../../ask/who-asks.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { listHosts, ONE_MACHINE } from "./hosts.ts";

export function addDrain(parent: Command, bind: Bind): void {
  parent
    .command("drain")
    .summary("let a host take no new runs")
    .description(
      "Asks a host to take no new runs. Runs whose files it has go on there until they end; all others go to other hosts. It lasts until --undo, or until the host's supervisor is ended with `down`. Without HOST: this host.",
    )
    .argument("[HOST]", "its name or id, as `hosts` lists them")
    .option("--undo", "let it take new runs again")
    .addHelpText(
      "after",
      examples(
        ["drain", "before this host is upgraded; `hosts` shows when it has no runs left"],
        ["drain build-2 --undo", "it takes new runs again"],
      ),
    )
    .action(bind(drain));
}

function drain(
  call: Invocation,
  named: string | undefined,
  { undo = false }: { readonly undo?: boolean },
): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const by = await personOnly(call, system, "say which hosts take new runs");
    const host = await hostNamed(call, system, named);
    await system.ports.journal.hosts?.drain(host.id, undo ? null : by);
    call.output.document({ host: host.id, draining: !undo, runs: host.runs });
    call.output.line(
      undo
        ? `${host.name} takes new runs again`
        : `${host.name} takes no new runs; ${host.runs === 1 ? "1 run goes" : `${String(host.runs)} runs go`} on there; see ${call.command("hosts")}`,
    );
    return EXIT.done;
  });
}

async function hostNamed(call: Invocation, system: System, named: string | undefined): Promise<HostView> {
  const hosts = await listHosts(system);
  if (hosts === null) throw new Fault("refused", `drain is refused: ${ONE_MACHINE}`);
  const wanted = named ?? system.ports.home?.().id ?? "";
  const found = hosts.filter(({ id, name }) => id === wanted || name === wanted);
  const [host] = found;
  if (host === undefined)
    throw new Fault(
      "not_found",
      `${named === undefined ? "this host" : `"${named}"`} has not worked this store; its hosts are ${hosts.map(({ name }) => name).join(", ") || "none yet"}`,
    );
  if (found.length > 1)
    throw new Fault(
      "usage",
      `${String(found.length)} hosts are called ${wanted}; expected one of the ids ${found.map(({ id }) => id).join(", ")} (${call.command("hosts", "--json")})`,
    );
  return host;
}
