import type { Command } from "commander";
import type { System } from "../../../main.ts";
import { Fault } from "../../../model/fault.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { personOnly } from "../../ask/who-asks.ts";

export function addUnpause(parent: Command, bind: Bind): void {
  parent
    .command("unpause")
    .summary("end the pause of an account, a host or a repository")
    .description(
      "Ends the pause of a shared resource: an account that met a limit, a host that lost many sessions at once, a repository in which several runs failed. The runs that wait for it continue at once. Without RESOURCE: of everything that is paused. Runs that you paused yourself continue with `resume`.",
    )
    .argument("[RESOURCE]", "as `status`, `runs` and `doctor` name it, such as host:alpha")
    .addHelpText(
      "after",
      examples(
        ["unpause host:alpha", "runs start agents on this host again"],
        ["unpause --json", "everything that is paused, for programs: what was lifted"],
      ),
    )
    .action(bind(unpause));
}

function unpause(call: Invocation, named: string | undefined): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const by = await personOnly(call, system, "end a pause that protects all runs");
    const paused = await call.plan("paused", () => pausedOf(system));
    const known = paused.map(({ ground: resource }) => resource);
    if (named !== undefined && !known.includes(named)) throw notPaused(call, named, known);
    const lifted: string[] = [];
    for (const { ground: name, pause } of paused) {
      if (named !== undefined && name !== named) continue;
      // Of a request that is begun again the pause may be over by its own doing.
      if ((await system.unpause(name, { by, pause, ...call.asked })) || call.isRepeated) lifted.push(name);
    }
    call.output.document({ lifted, by });
    if (lifted.length === 0) call.output.line("nothing is paused");
    for (const address of lifted) call.output.line(`${address}: the pause is over; its runs continue`);
    return EXIT.done;
  });
}

/** Each with its pause: one that begins later is another one. */
async function pausedOf(system: System): Promise<{ readonly ground: string; readonly pause: number }[]> {
  const resources = await system.loadSharedResources();
  return resources.flatMap(({ ground: resource, pause }) =>
    pause !== null && pause.reopenedAt === null ? [{ ground: resource, pause: pause.id }] : [],
  );
}

const notPaused = (call: Invocation, named: string, known: readonly string[]): Fault =>
  new Fault(
    "not_found",
    `"${named}" is not paused; ${known.length === 0 ? "nothing is" : `paused: ${known.join(", ")}`}; see ${call.command("runs")}`,
  );
