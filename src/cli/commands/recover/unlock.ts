import type { Command } from "commander";
import type { System } from "../../../main.ts";
import { Fault } from "../../../model/fault.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { isoTime } from "../../../model/text/iso-time.ts";

type Holder = NonNullable<ReturnType<System["lockHolder"]>>;

export function addUnlock(parent: Command, bind: Bind): void {
  parent
    .command("unlock")
    .summary("who keeps others from writing to the store")
    .description(
      "Shows the process that holds the lock of a store in a file: pid, command, since when, and whether it is stopped. " +
        "Nothing is ended unless you name it by pid and start, and only if it gives no sign of life for a whole lease.",
    )
    .option("--end <PID@START>", "end exactly this process, once its lease is over")
    .addHelpText(
      "after",
      examples(
        ["unlock", "who holds the lock, and the command that ends it"],
        ["unlock --end 4711@BOOT:TICKS", "end it; its runs are taken over"],
      ),
    )
    .action(bind(unlock));
}

function unlock(call: Invocation, { end }: { readonly end?: string }): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const holder = system.lockHolder();
    if (end !== undefined) return endHolder(call, system, parsed(end));
    call.output.document({ holder });
    if (holder === null) call.output.line("nobody who can be seen from here holds the lock of the store");
    else for (const line of holderLines(call, holder)) call.output.line(line);
    return EXIT.done;
  });
}

function parsed(text: string): Pick<Holder, "pid" | "startedAt"> {
  const [, pid, startedAt] = /^([1-9]\d*)@(\S+)$/.exec(text) ?? [];
  if (pid === undefined || startedAt === undefined)
    throw new Fault(
      "usage",
      `--end is "${text}"; expected PID@START as \`holdfast unlock\` shows it: a pid alone may be another process by now`,
    );
  return { pid: Number(pid), startedAt };
}

function holderLines(call: Invocation, { pid, startedAt, command, stopped, since }: Holder): string[] {
  const who = `pid ${String(pid)} (${command}), begun ${isoTime(since)}`;
  const end = call.command("unlock", "--end", `${String(pid)}@${startedAt}`);
  return stopped
    ? [`${who}, holds the lock and is stopped`, `continue it: kill -CONT ${String(pid)}`, `or end it: ${end}`]
    : [`${who}, holds the lock`, `a lock is held for milliseconds; if it stays, end its holder: ${end}`];
}

async function endHolder(
  call: Invocation,
  system: System,
  of: Pick<Holder, "pid" | "startedAt">,
): Promise<number> {
  const outcome = await system.endLockHolder(of);
  const runs = outcome.kind === "ended" ? outcome.runs : [];
  call.output.document({ ...of, outcome: outcome.kind, runs });
  call.output.line(textOf(call, of.pid, outcome.kind));
  for (const run of runs) call.output.line(`${run} is taken over by the next supervisor or program`);
  return outcome.kind === "ended" ? EXIT.done : EXIT.unsuccessful;
}

function textOf(
  call: Invocation,
  pid: number,
  outcome: Awaited<ReturnType<System["endLockHolder"]>>["kind"],
): string {
  const who = `process ${String(pid)}`;
  switch (outcome) {
    case "ended":
      return `${who} was ended`;
    case "not_held":
      return `${who} with that start does not hold the lock; nothing was ended; see ${call.command("unlock")}`;
    case "alive":
      return `${who} gave a sign of life within its lease; nothing was ended`;
    case "still_there":
      return `${who} did not end after SIGKILL: it may belong to another user, or wait for a disk`;
  }
}
