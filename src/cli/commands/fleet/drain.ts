import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import type { System } from "../../../main.ts";
import { Fault } from "../../../model/fault.ts";
import { durationMs } from "../../../model/text/duration.ts";
import type { HostView } from "../../../views/fleet/host-view.ts";
import { personOnly } from "../../ask/who-asks.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { onInterrupt } from "../../run/interrupts.ts";
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
    .option("--wait", "return when the host has received it and has no runs left")
    .option("--timeout <time>", "with --wait: no longer than this, such as 30m; ends with 3")
    .addHelpText(
      "after",
      examples(
        ["drain --wait", "before this host is upgraded: returns when it has no runs left"],
        ["drain build-2 --undo", "it takes new runs again"],
      ),
    )
    .action(bind(drain));
}

interface DrainOptions {
  readonly undo?: boolean;
  readonly wait?: boolean;
  readonly timeout?: string;
}

function drain(call: Invocation, named: string | undefined, options: DrainOptions): Promise<number> {
  const { undo = false, wait = false, timeout } = options;
  if (undo && wait) throw new Fault("usage", "--undo has nothing to wait for; expected it without --wait");
  if (timeout !== undefined && !wait)
    throw new Fault("usage", "--timeout limits the wait; expected it with --wait");
  const limitMs = timeout === undefined ? Infinity : durationMs(timeout);
  return call.withSystem("empty", async (system) => {
    const by = await personOnly(call, system, "say which hosts take new runs");
    const host = await hostNamed(call, system, named);
    await system.ports.journal.hosts?.drain(host.id, undo ? null : by);
    if (wait) return waitUntilEmpty(call, system, { host, limitMs });
    call.output.document({ host: host.id, draining: !undo, runs: host.runs });
    call.output.line(
      undo
        ? `${host.name} takes new runs again`
        : `${host.name} takes no new runs once it has received this; ${runsText(host.runs)} on there; see ${call.command("hosts")}`,
    );
    return EXIT.done;
  });
}

const runsText = (runs: number): string => (runs === 1 ? "1 run goes" : `${String(runs)} runs go`);

const LOOK_MS = 500;

/** A host that has not received it may take another run; one that is down has none. */
async function waitUntilEmpty(
  call: Invocation,
  system: System,
  { host, limitMs }: { readonly host: HostView; readonly limitMs: number },
): Promise<number> {
  let isOver = false;
  const quiet = onInterrupt(() => (isOver = true));
  try {
    for (const until = Date.now() + limitMs; ; await delay(LOOK_MS)) {
      const now = (await listHosts(system))?.find(({ id }) => id === host.id) ?? host;
      const isEmpty = now.state === "down" || (now.state === "draining" && now.runs === 0);
      if (!isEmpty && !isOver && Date.now() < until) continue;
      call.output.document({ host: host.id, draining: true, runs: now.runs });
      call.output.line(
        isEmpty
          ? `${host.name} has no runs left; end its supervisor with ${call.command("down")} there`
          : `${host.name} still drains: ${runsText(now.runs)} on there`,
      );
      return isEmpty ? EXIT.done : EXIT.waiting;
    }
  } finally {
    quiet();
  }
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
