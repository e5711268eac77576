import type { Command } from "commander";
import { findRun } from "../../run/find-run.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { Fault, isFault } from "../../../model/fault.ts";
import { runOfAlarm } from "../../../model/requests/alarm.ts";
import type { RunRequest } from "../../../model/requests/requests.ts";
import { durationMs } from "../../../model/text/duration.ts";
import { printableLine } from "../../../model/text/printable.ts";
import { alarmText, type AlarmView, pendingAlarms } from "../../../views/runs/task.ts";

const RUN = "the run's id, or the beginning or end of it";
/** So long a supervisor stays that has nothing else to do. */
const STAYS_MS = 2 * 3_600_000;

/** The commands by which people set alarms, see them, and take them back. */
export function addAlarms(parent: Command, bind: Bind): void {
  addAlarm(parent, bind);
  parent
    .command("alarms")
    .summary("alarms that are still to ring")
    .description("Lists the alarms of one run, or of all, that are still to ring, soonest first.")
    .argument("[RUN]", RUN)
    .addHelpText(
      "after",
      examples(["alarms", "of every run"], ["alarms mail-1 --json", "of one run, for programs"]),
    )
    .action(bind(alarms));
}

interface AlarmOptions {
  readonly in?: string;
  readonly at?: string;
  readonly note?: string;
  readonly step?: string;
  readonly cancel?: boolean;
}

function addAlarm(parent: Command, bind: Bind): void {
  parent
    .command("alarm")
    .summary("wake a run's agent later with a note")
    .description(
      "Sets an alarm: when it rings, the note is sent to the working agent; an agent that takes no messages while it works gets it with its next attempt. Set for a paused run, it lets the run go on. With --cancel, and the alarm's id instead of RUN, takes it back.",
    )
    .argument("<RUN>", RUN)
    .argument("[NOTE]", "what to say then")
    .option("--in <time>", "how long from now, such as 20m or 8h")
    .option("--at <time>", "when: 07:30, or a time such as 2026-03-01T07:30")
    .option("--note <text>", "what to say then")
    .option("--step <name>", "the step whose agent is meant")
    .option("--cancel", "take the alarm named back")
    .addHelpText(
      "after",
      examples(
        ['alarm mail-1 --in 20m --note "look at the build again"', "the agent receives it in 20 minutes"],
        ['alarm mail-1 --at 07:30 "go on"', "a paused run goes on in the morning"],
        ["alarm mail-1.a2 --cancel", "it does not ring"],
      ),
    )
    .action(bind(alarm));
}

async function alarm(
  call: Invocation,
  target: string,
  words: string | undefined,
  options: AlarmOptions,
): Promise<number> {
  const { askRun } = await import("../../ask/ask-run.ts");
  if (options.cancel === true) return askRun(call, runOf(target), { kind: "cancel_alarm", alarm: target });
  const dueAt = dueTime(options);
  const code = await askRun(call, target, alarmRequest(dueAt, noteOf(words, options), options));
  if (dueAt - Date.now() > STAYS_MS)
    call.output.note(
      `a supervisor wakes a paused run, and one without other work stays at most two hours: keep one with ${call.command("up", "--detach")}`,
    );
  return code;
}

const alarmRequest = (dueAt: number, note: string, { step, in: after }: AlarmOptions): RunRequest => ({
  kind: "alarm",
  dueAt,
  ...(after === undefined ? {} : { afterMs: durationMs(after) }),
  note,
  ...(step === undefined ? {} : { step }),
});

function runOf(id: string): string {
  const run = runOfAlarm(id);
  if (run !== null) return run;
  throw new Fault(
    "usage",
    `"${id}" is no alarm; expected an id such as mail-1.a2 (\`holdfast alarms\` lists what is to ring)`,
  );
}

function dueTime(options: AlarmOptions): number {
  if ((options.in === undefined) === (options.at === undefined))
    throw new Fault(
      "usage",
      "alarm needs one of --in TIME (such as --in 20m) and --at TIME (such as --at 07:30)",
    );
  return options.in === undefined
    ? timeAhead(options.at ?? "", Date.now())
    : Date.now() + durationMs(options.in);
}

function noteOf(words: string | undefined, { note }: AlarmOptions): string {
  const said = note ?? words ?? "";
  if (said.trim() === "" || (note !== undefined && words !== undefined))
    throw new Fault("usage", `alarm needs one note to wake with, such as --note "look at the build again"`);
  return said;
}

const LIVE = ["queued", "running", "pausing", "paused", "awaiting_approval", "blocked"] as const;

function alarms(call: Invocation, text: string | undefined): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const { journal } = system.ports;
    const runs =
      text === undefined
        ? (await journal.runs({ statuses: LIVE })).map(({ run }) => run)
        : [await findRun(journal, text)];
    const found: AlarmView[] = [];
    for (const run of runs) {
      try {
        const state = await system.loadRun(run);
        if (state !== null) found.push(...pendingAlarms(state));
      } catch (error) {
        // A run whose journal is damaged hides no other.
        if (text !== undefined || !isFault(error, "journal_damaged")) throw error;
      }
    }
    found.sort((one, other) => (one.at < other.at ? -1 : 1));
    call.output.document({ alarms: found });
    if (found.length === 0) call.output.line("no alarm is set");
    for (const view of found) call.output.line(printableLine(alarmText(view)));
    return EXIT.done;
  });
}

/** A time to come, as people write it: `07:30` (the next one here), or a date with a time. */
export function timeAhead(text: string, now: number): number {
  const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim());
  const at = clock === null ? Date.parse(text) : nextClock(Number(clock[1]), Number(clock[2]), now);
  if (Number.isNaN(at) || (clock === null && !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text.trim())))
    throw new Fault(
      "usage",
      `--at "${text}" is no time; expected a time of day such as 07:30, or one such as 2026-03-01T07:30`,
    );
  if (at <= now)
    throw new Fault(
      "usage",
      `--at "${text}" has passed: it is ${new Date(now).toISOString()}; expected a time to come`,
    );
  return at;
}

function nextClock(hours: number, minutes: number, now: number): number {
  const day = new Date(now);
  day.setHours(hours, minutes, 0, 0);
  if (day.getTime() <= now) day.setDate(day.getDate() + 1);
  return day.getTime();
}
