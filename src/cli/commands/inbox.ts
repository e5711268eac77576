import type { Command } from "commander";
import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import type { FullDiskView } from "../../views/full-disk-status.ts";
import { supervisedInbox, type InboxEntry } from "../../views/inbox.ts";
import { troubledGrounds } from "../../views/status-grounds.ts";
import type { DamagedRun } from "../../views/damaged-run.ts";
import { damagedStatusView } from "../../views/status.ts";
import { undeliveredText } from "../../views/undelivered.ts";
import { unheardText } from "../../views/unheard.ts";
import { showExamples, type Bind } from "../define-command.ts";
import { EXIT } from "../exit-codes.ts";
import { fullDiskOf } from "../host-faults.ts";
import type { Invocation } from "../invocation.ts";
import type { Looked } from "../../views/supervision.ts";
import { lookAtSupervision } from "../look-at-supervision.ts";
import { leftSessions, type FoundSession } from "../left-sessions.ts";
import { isoTime } from "../../model/iso-time.ts";
import { printableLine } from "../../model/printable.ts";

const DETAIL_CHARS_MAX = 300;

export function addInbox(parent: Command, bind: Bind): void {
  const command = parent
    .command("inbox")
    .summary("what waits for a person")
    .description(
      "Lists what the runs of the store ask of people, oldest first, each with the command that settles it.",
    )
    .action(bind(inbox));
  showExamples(command, ["inbox", "everything that waits for you"], ["inbox --json", "for programs"]);
}

function inbox(call: Invocation): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const waiting = await system.rooms.journal.runs({
      statuses: ["queued", "running", "pausing", "paused", "blocked", "awaiting_approval"],
    });
    const lookedOf = await lookAtSupervision(system, call.store.named);
    const entries: InboxEntry[] = [];
    for (const listed of waiting) entries.push(...(await entriesOf(system, listed, lookedOf(listed.run))));
    entries.sort((a, b) => (a.since < b.since ? -1 : 1));
    for (const one of await leftSessions(system)) entries.push(leftEntry(call, one));
    const incidents = troubledGrounds(await system.loadGrounds(), system.rooms.world.now(), call.store.named);
    const disk = await fullDiskOf(call);
    call.output.document({ inbox: entries, incidents, ...(disk === null ? {} : { disk }) });
    for (const line of disk === null ? [] : diskLines(disk)) call.output.line(line);
    for (const { text } of incidents) call.output.line(printableLine(text, DETAIL_CHARS_MAX));
    if (entries.length === 0 && disk === null) call.output.line("nothing waits for you");
    for (const entry of entries) for (const line of entryLines(entry)) call.output.line(line);
    return EXIT.done;
  });
}

const diskLines = ({ reason, owner, text, advice, command }: FullDiskView): string[] => [
  `${reason} · for ${owner}`,
  `  ${printableLine(text, DETAIL_CHARS_MAX)}`,
  `  ${advice}:`,
  `    ${command}`,
];

const leftEntry = (call: Invocation, { run, session, since, attempt }: FoundSession): InboxEntry => ({
  id: null,
  run,
  reason: "investigate",
  owner: "operator",
  detail: `${attempt ?? session} has ended, and its session still runs`,
  gate: null,
  digest: null,
  since: isoTime(since ?? 0),
  command: call.command("investigate", run),
  advice: "See what it is, and end it or leave it",
  undelivered: [],
  messages: [],
});

/** A run whose journal is damaged hides no other. */
async function entriesOf(system: System, listed: DamagedRun, looked: Looked): Promise<InboxEntry[]> {
  const { run } = listed;
  try {
    const state = await system.loadRun(run);
    return state === null ? [] : supervisedInbox(state, looked);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "journal_damaged") throw error;
    const { blocked, updatedAt } = damagedStatusView(listed, error, looked.store);
    if (blocked === null) return [];
    const { reason, owner, detail, command, advice, gate, digest } = blocked;
    const about = { id: null, run, reason, owner, detail, gate, digest, since: updatedAt, command };
    return [{ ...about, advice: advice[0] ?? "", undelivered: [], messages: [] }];
  }
}

const supervisionLines = ({ supervision }: InboxEntry): string[] =>
  supervision === undefined ? [] : [`  ${supervision.text}:`, `    ${supervision.command ?? ""}`];

const entryLines = (entry: InboxEntry): string[] => [
  `${entry.id ?? entry.run} · ${entry.reason} · for ${entry.owner} · since ${entry.since.slice(0, 19)}`,
  `  ${printableLine(entry.detail, DETAIL_CHARS_MAX)}`,
  `  ${entry.advice}:`,
  `    ${entry.command}`,
  ...(entry.choices ?? []).slice(1).map(({ command, does }) => `  or ${command}  (${does})`),
  ...(entry.proof === undefined ? [] : [`  it opens with the ${entry.proof}`]),
  ...supervisionLines(entry),
  ...entry.undelivered.map((notice) => `  ${printableLine(undeliveredText(notice), DETAIL_CHARS_MAX)}`),
  ...entry.messages.map((words) => `  ${printableLine(unheardText(words), DETAIL_CHARS_MAX)}`),
];
