import { age } from "./archive.ts";
import type { Command } from "commander";
import type { System } from "../../../main.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { printableLine } from "../../../model/text/printable.ts";

interface GcOptions {
  readonly olderThan?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

type Garbage = Awaited<ReturnType<System["garbage"]["find"]>>[number];

const OLDER_THAN_MS = 7 * 86_400_000;

export function addGc(parent: Command, bind: Bind): void {
  parent
    .command("gc")
    .summary("remove what ended runs have left on disk")
    .description(
      "Lists what ended runs have left: worktrees, branches, and what their agents printed, with sizes; and for everything that stays, why. Removes it with --yes, or if you say so on a terminal. A worktree is removed once all of it is in a verified snapshot, which stays; a branch only if your branch holds its commits. Checkpoints stay as long as their run is in the store.",
    )
    .option("--older-than <age>", "only of runs unchanged for so long, such as 30d, 12h, 0m; else 7d", age)
    .option("--dry-run", "only list, and do not ask")
    .option("--yes", "do not ask; for scripts")
    .addHelpText(
      "after",
      examples(
        ["gc --dry-run", "what would go, and what stays for which reason"],
        ["gc --older-than 30d --yes", "in a script"],
      ),
    )
    .action(bind(gc));
}

async function gc(call: Invocation, options: GcOptions): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const since = system.ports.world.now() - (options.olderThan ?? OLDER_THAN_MS);
    const found = await system.garbage.find(since);
    const going = found.filter(({ keptBecause }) => keptBecause === null);
    if (!(await isWanted(call, options, { found, going }))) return EXIT.done;
    const done: Garbage[] = [];
    for (const run of new Set(going.map((one) => one.run)))
      done.push(...(await system.garbage.remove(run, since)));
    const removed = done.filter(({ keptBecause }) => keptBecause === null);
    const kept = done.filter(({ keptBecause }) => keptBecause !== null);
    call.output.document({ dryRun: false, removed, kept, bytes: bytesOf(removed) });
    for (const one of removed) call.output.line(`removed  ${lineOf(one)}`);
    for (const one of kept) call.output.line(`kept     ${lineOf(one)}`);
    call.output.line(`${String(removed.length)} removed, ${sizeText(bytesOf(removed))}`);
    return EXIT.done;
  });
}

/** Shows what would go; whether it goes is for a person to say. */
async function isWanted(
  call: Invocation,
  { dryRun, yes }: GcOptions,
  { found, going }: { readonly found: readonly Garbage[]; readonly going: readonly Garbage[] },
): Promise<boolean> {
  if (yes === true && dryRun !== true) return true;
  for (const one of found)
    call.output.line(`${one.keptBecause === null ? "would remove" : "stays       "}  ${lineOf(one)}`);
  const sum = `${String(going.length)} would be removed, ${sizeText(bytesOf(going))}`;
  const { canAsk, saysYes } = await import("../../trust/require-trust.ts");
  if (dryRun !== true && going.length > 0 && canAsk(call)) {
    call.output.line(sum);
    return saysYes("Remove this? [y/N] ");
  }
  const kept = found.filter(({ keptBecause }) => keptBecause !== null);
  call.output.document({ dryRun: true, wouldRemove: going, kept, bytes: bytesOf(going) });
  call.output.line(
    `${sum}; nothing was done${going.length > 0 ? `: ${call.command("gc", "--yes")} removes it` : ""}`,
  );
  return false;
}

const bytesOf = (items: readonly Garbage[]): number => items.reduce((sum, { bytes }) => sum + bytes, 0);

const lineOf = ({ run, kind, what, bytes, keptBecause }: Garbage): string =>
  `${run}  ${kind}  ${printableLine(what, 400)}${kind === "branch" ? "" : `  ${sizeText(bytes)}`}${keptBecause === null ? "" : `  (${printableLine(keptBecause, 300)})`}`;

const sizeText = (bytes: number): string =>
  bytes < 2 ** 20 ? `${String(Math.ceil(bytes / 1_024))} KiB` : `${String(Math.ceil(bytes / 2 ** 20))} MiB`;
