import type { Command } from "commander";
import type { System } from "../../../main.ts";
import { Fault, isFault } from "../../../model/fault.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { findRun } from "../../run/find-run.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { nameStore } from "../../shell/name-store.ts";
import { isFileWord, RUN_OR_FILE } from "../../run/run-source.ts";
import { scrubsView, describeScrubs } from "../../print/describe-scrubs.ts";
import { verifyFile } from "../../verify-file.ts";
import { personOnly } from "../../ask/who-asks.ts";

type Journal = System["ports"]["journal"];
type Damage = Awaited<ReturnType<Journal["verify"]>>[number];

export function addVerify(parent: Command, bind: Bind): void {
  parent
    .command("verify")
    .summary("check that nothing recorded was changed")
    .description(
      "Reads everything that is recorded and checks it against its hashes. Without an argument: the whole store. A file is what `export` or `archive` wrote; no store is needed for it.",
    )
    .argument("[RUN|FILE]", RUN_OR_FILE)
    .option(
      "--accept-rollback",
      "go on with a store that is older than its anchor, for instance a restored copy; it is recorded",
    )
    .addHelpText(
      "after",
      examples(
        ["verify", "every run, and the file itself"],
        ["verify mail-1 --json", "one run, with the hash of its last event"],
        ["verify mail-1.jsonl", "an exported run, wherever it came from"],
        ["verify --accept-rollback", "after an older copy of the store was restored on purpose"],
      ),
    )
    .action(bind(verify));
}

async function verify(
  call: Invocation,
  text: string | undefined,
  { acceptRollback = false }: { readonly acceptRollback?: boolean },
): Promise<number> {
  if (acceptRollback && text !== undefined)
    throw new Fault("usage", `--accept-rollback concerns the whole store; leave out "${text}"`);
  if (text !== undefined && isFileWord(call, text)) return verifyFile(call, text);
  if (!call.storeExists)
    throw new Fault(
      "not_found",
      `there is no store ${call.store.shown} to verify; a first \`holdfast run\` makes it`,
    );
  if (acceptRollback) return accept(call);
  return call.withSystem("empty", async (system) => {
    const damages = await system.ports.journal.verify();
    return text === undefined ? verifyAll(call, system, damages) : verifyRun(call, system, { damages, text });
  });
}

/** A store that is damaged besides is not accepted by this: what is accepted is only that it is older. */
function accept(call: Invocation): Promise<number> {
  const work = async (system: System): Promise<number> => {
    const by = await personOnly(call, system, "accept an older store");
    const damages = await system.ports.journal.verify();
    if (damages.length > 0) return printDamages(call, null, damages);
    const lost = (await system.acceptRollback(by)) ?? [];
    const named = lost.map(({ anchored: { run, seq }, seq: found }) => ({ run, anchored: seq, found }));
    call.output.document({ ok: true, store: call.store.shown, accepted: named });
    for (const { run, anchored, found } of named)
      call.output.line(`${run}: ends at event ${String(found)}; the anchor named event ${String(anchored)}`);
    call.output.line(
      named.length === 0
        ? `${call.store.shown} is not older than its anchor`
        : `${call.store.shown} is accepted; this is recorded in its journal`,
    );
    return EXIT.done;
  };
  return call.withSystem("empty", work, () => call.host(), true);
}

async function verifyAll(call: Invocation, system: System, damages: readonly Damage[]): Promise<number> {
  if (damages.length > 0) return printDamages(call, null, damages);
  const runs = await system.ports.journal.runs();
  const events = runs.reduce((sum, { seq }) => sum + seq, 0);
  const scrubbed: Record<string, object[]> = {};
  call.output.line(
    `${call.store.shown}: ${String(runs.length)} runs with ${String(events)} events are as they were written`,
  );
  for (const { run } of runs) {
    const scrubs = await system.scrubsOf(run);
    if (scrubs.length > 0) scrubbed[run] = scrubsView(scrubs);
    describeScrubs(call, run, scrubs);
  }
  call.output.document({ ok: true, store: call.store.shown, runs: runs.length, events, damages, scrubbed });
  return EXIT.done;
}

/** Damage of the file itself concerns every run in it. */
async function verifyRun(
  call: Invocation,
  system: System,
  { damages, text }: { readonly damages: readonly Damage[]; readonly text: string },
): Promise<number> {
  const { journal } = system.ports;
  const run = await meantRun(journal, damages, text);
  const found = damages.filter((damage) => damage.run === run || damage.run === null);
  if (found.length > 0) return printDamages(call, run, found);
  const head = await journal.head(run);
  if (head === null) throw new Fault("not_found", `there is no run "${run}" in this store`);
  const scrubs = await system.scrubsOf(run);
  call.output.document({
    ok: true,
    run,
    events: head.seq,
    head: { seq: head.seq, hash: head.hash },
    damages: [],
    scrubs: scrubsView(scrubs),
  });
  call.output.line(`${run}: ${String(head.seq)} events are as they were written`);
  call.output.line(`head: ${head.hash}`);
  describeScrubs(call, run, scrubs);
  return EXIT.done;
}

/** Where the list of runs is damaged, the name as given has to do. */
async function meantRun(journal: Journal, damages: readonly Damage[], text: string): Promise<string> {
  try {
    return await findRun(journal, text);
  } catch (error) {
    if (isFault(error, "journal_damaged") && damages.length > 0) return text;
    throw error;
  }
}

const DAMAGES_SHOWN_MAX = 50;

function printDamages(call: Invocation, run: string | null, damages: readonly Damage[]): number {
  const lines = damages.map(({ run: of, seq, what }) => {
    const place = seq === null ? "" : ` event ${String(seq)}`;
    return nameStore(`${of ?? "the store"}${place}: ${what}`, call.store.named);
  });
  const message = `${String(damages.length)} damage${damages.length === 1 ? "" : "s"} found: ${lines[0] ?? ""}`;
  call.output.document({ ok: false, run, damages, error: { code: "journal_damaged", message, details: {} } });
  for (const line of lines.slice(0, DAMAGES_SHOWN_MAX)) call.output.line(line);
  call.output.line("nothing was changed; restore the store from a copy");
  call.output.note(`holdfast: ${message}`);
  return EXIT.store;
}
