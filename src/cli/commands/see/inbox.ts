import type { Command } from "commander";
import type { System } from "../../../main.ts";
import { Fault } from "../../../model/fault.ts";
import type { FullDiskView } from "../../../views/status/full-disk-status.ts";
import { supervisedInbox, type InboxEntry } from "../../../views/runs/inbox.ts";
import { troubledResources } from "../../../views/status/status-shared-resources.ts";
import type { DamagedRun } from "../../../views/status/damaged-run.ts";
import { damagedStatusView } from "../../../views/status/status.ts";
import { undeliveredText } from "../../../views/runs/undelivered.ts";
import { unreceivedText } from "../../../views/runs/unreceived-words.ts";
import { openSessions } from "../../continuous/open-sessions.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { fullDiskOf } from "../../supervise/host-faults.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { workOf, workRows, type RunWork } from "../../ask/run-work.ts";
import type { Looked } from "../../../views/status/supervision.ts";
import { lookAtSupervision } from "../../supervise/look-at-supervision.ts";
import { leftSessions, type FoundSession } from "../../supervise/left-sessions.ts";
import { isoTime } from "../../../model/text/iso-time.ts";
import { printableLine } from "../../../model/text/printable.ts";

const DETAIL_CHARS_MAX = 300;

export function addInbox(parent: Command, bind: Bind): void {
  parent
    .command("inbox")
    .summary("what waits for a person")
    .description(
      "Lists what the runs of the store ask of people, oldest first, each with the command that settles it.",
    )
    .addHelpText(
      "after",
      examples(["inbox", "everything that waits for you"], ["inbox --json", "for programs"]),
    )
    .action(bind(inbox));
}

function inbox(call: Invocation): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const waiting = await system.ports.journal.runs({
      statuses: ["queued", "running", "pausing", "paused", "blocked", "awaiting_approval"],
    });
    const lookedOf = await lookAtSupervision(system, call.store.named);
    const entries: InboxEntry[] = [];
    for (const listed of waiting) entries.push(...(await entriesOf(system, listed, lookedOf(listed.run))));
    const work = new Map<string, RunWork>();
    for (const { run, gate } of entries) if (gate !== null) await noteWork(call, system, { run, work });
    entries.sort((a, b) => (a.since < b.since ? -1 : 1));
    for (const one of await leftSessions(system)) entries.push(leftEntry(call, one));
    const incidents = troubledResources(
      await system.loadSharedResources(),
      system.ports.world.now(),
      call.store.named,
    );
    const disk = await fullDiskOf(call);
    const sessions = await openSessions(call, system);
    const heldBy = (run: string): string[] =>
      sessions.flatMap(({ session, blockedBy }) =>
        blockedBy.some((one) => one.run === run) ? [session] : [],
      );
    const asked = entries.map((entry) => ({
      ...entry,
      ...workFacts(work.get(entry.run)),
      ...(heldBy(entry.run).length === 0 ? {} : { blocks: heldBy(entry.run) }),
    }));
    call.output.document({ inbox: asked, incidents, ...(disk === null ? {} : { disk }) });
    for (const line of disk === null ? [] : diskLines(disk)) call.output.line(line);
    for (const { text } of incidents) call.output.line(printableLine(text, DETAIL_CHARS_MAX));
    if (entries.length === 0 && disk === null) call.output.line("nothing waits for you");
    for (const entry of entries)
      for (const line of [
        ...entryLines(entry),
        ...heldBy(entry.run).map((name) => `  the continuous session ${name} waits for it`),
        ...workLines(work.get(entry.run)),
      ])
        call.output.line(line);
    return EXIT.done;
  });
}

/** What is to be approved is better seen than described. */
async function noteWork(
  call: Invocation,
  system: System,
  { run, work }: { readonly run: string; readonly work: Map<string, RunWork> },
): Promise<void> {
  const state = await system.loadRun(run);
  const found = state === null ? null : await workOf(call, system, state);
  if (found !== null) work.set(run, found);
}

const workFacts = (work: RunWork | undefined): { readonly work?: RunWork } =>
  work === undefined ? {} : { work };

const workLines = (work: RunWork | undefined): string[] =>
  work === undefined
    ? []
    : workRows(work).map(([name, text]) => `  ${name}: ${printableLine(text, DETAIL_CHARS_MAX)}`);

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
  `${entry.id ?? entry.run} · ${entry.reason} · for ${entry.owner} · since ${entry.since}`,
  `  ${printableLine(entry.detail, DETAIL_CHARS_MAX)}`,
  `  ${entry.advice}:`,
  `    ${entry.command}`,
  ...(entry.choices ?? []).slice(1).map(({ command, does }) => `  or ${command}  (${does})`),
  ...(entry.proof === undefined ? [] : [`  it opens with the ${entry.proof}`]),
  ...supervisionLines(entry),
  ...entry.undelivered.map((notice) => `  ${printableLine(undeliveredText(notice), DETAIL_CHARS_MAX)}`),
  ...entry.messages.map((words) => `  ${printableLine(unreceivedText(words), DETAIL_CHARS_MAX)}`),
];
