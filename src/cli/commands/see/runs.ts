import path from "node:path";
import type { Command } from "commander";
import { repositoryOf } from "../../config/find-config.ts";
import { detailedTable, listedSupervision, ownerOf } from "../../print/runs-table.ts";
import { isWithin, runDetails, type RunDetails } from "../../run/run-details.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { openSessions, sessionLines } from "../../continuous/open-sessions.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { didYouMean } from "../../shell/nearest.ts";
import { fullDiskOf } from "../../supervise/host-faults.ts";
import { lookAtSupervision } from "../../supervise/look-at-supervision.ts";
import { storeStanding } from "../../supervise/detached-supervisor.ts";
import { Fault } from "../../../model/fault.ts";
import { BLOCKED_REASONS } from "../../../model/requests/blocked.ts";
import { RUN_STATUSES, type RunStatus } from "../../../model/state/run-status.ts";
import { durationMs } from "../../../model/text/duration.ts";
import { isoTime } from "../../../model/text/iso-time.ts";
import { printableLine } from "../../../model/text/printable.ts";
import { troubledResources } from "../../../views/status/status-shared-resources.ts";

const TEXT_CHARS_MAX = 400;

export function addRuns(parent: Command, bind: Bind): void {
  parent
    .command("runs")
    .summary("list all runs")
    .description(
      "Lists the runs of the store, newest first: where each works, with which agents, at which step, how long ago it changed, what it cost and who supervises it.",
    )
    .option("--status <statuses>", "only runs in one of these, such as running,blocked")
    .option("--repo <folder>", "only runs of this repository, or of folders below this one")
    .option("--since <time>", "only runs that changed since then: 2h, 7d, or a date")
    .option("--blocked-by <reason>", "only runs that this blocks, such as budget_exhausted")
    .addHelpText(
      "after",
      examples(
        ["runs", "a table"],
        ["runs --repo . --status running,blocked", "what is open in this repository"],
        ["runs --store sqlite:./agents.db --json", "of another store, for programs"],
      ),
    )
    .action(bind(runs));
}

/** An empty list of a store that somebody named by mistake looks like lost runs. */
function refuseAbsent({ store, storeExists }: Invocation): void {
  if (storeExists || store.named === null) return;
  throw new Fault("not_found", `there is no store ${store.shown}: the file does not exist; check --store`, {
    details: { store: store.shown },
  });
}

function runs(call: Invocation, options: RunsOptions): Promise<number> {
  const filter = runsFilter(options, call.surroundings.cwd, Date.now());
  refuseAbsent(call);
  return call.withSystem("empty", async (system) => {
    const damaged: { run: string; text: string; command: string }[] = [];
    const listed = await system.ports.journal.runs({
      ...(filter.statuses === undefined ? {} : { statuses: filter.statuses }),
      onDamaged: (run, { message }) =>
        damaged.push({ run, text: message, command: call.command("salvage", run) }),
    });
    const recent = listed.filter(({ updatedAt }) => updatedAt >= filter.since);
    const found = await runDetails(system, recent);
    const wanted = recent
      .map((listing, at) => ({ listing, details: found[at] as RunDetails }))
      .filter(({ details }) => filter.isWanted(details));
    const listings = wanted.map(({ listing }) => listing);
    const lookedOf = await lookAtSupervision(system, call.store.named);
    const resources = await system.loadSharedResources();
    const shared = troubledResources(resources, system.ports.world.now(), call.store.named);
    const store = await storeStanding(call, system);
    const disk = await fullDiskOf(call);
    const sessions = await openSessions(call, system);
    const sessionOf = (run: string) =>
      sessions.flatMap(({ session, runs }) => (runs.includes(run) ? [{ continuous: session }] : []))[0] ?? {};
    call.output.document({
      store,
      ...(disk === null ? {} : { disk }),
      shared,
      ...(sessions.length === 0 ? {} : { sessions }),
      ...(damaged.length === 0 ? {} : { damaged }),
      runs: wanted.map(({ listing, details }) => ({
        run: listing.run,
        status: listing.status,
        goal: listing.goal,
        position: listing.seq,
        createdAt: isoTime(listing.createdAt),
        updatedAt: isoTime(listing.updatedAt),
        supervision: listedSupervision(listing, lookedOf),
        ...details,
        ...sessionOf(listing.run),
        owner: ownerOf(lookedOf(listing.run)),
      })),
    });
    if (store !== null) call.output.line(store.text);
    if (disk !== null) call.output.line(disk.text);
    if (listings.length === 0 && Object.keys(options).length > 0) call.output.line("no such run");
    else if (listings.length === 0)
      call.output.line(`no runs yet; start one with ${call.command("run", "say hello", "--agent", "demo")}`);
    else for (const line of detailedTable(wanted, lookedOf)) call.output.line(line);
    for (const { run, text, command } of damaged)
      call.output.line(
        printableLine(`${run} is damaged and unsupervised: ${command} (${text})`, TEXT_CHARS_MAX),
      );
    for (const line of sessionLines(sessions.filter(({ blockedBy }) => blockedBy.length > 0)))
      call.output.line(line);
    for (const { text } of shared) call.output.line(printableLine(text, TEXT_CHARS_MAX));
    return EXIT.done;
  });
}

interface RunsOptions {
  readonly status?: string;
  readonly repo?: string;
  readonly since?: string;
  readonly blockedBy?: string;
}

/** Which runs are wanted. */
interface RunsFilter {
  readonly statuses: readonly RunStatus[] | undefined;
  /** Changed at this time or later. */
  readonly since: number;
  readonly isWanted: (details: RunDetails) => boolean;
}

/** What was asked for in words, checked. */
function runsFilter({ status, repo, since, blockedBy }: RunsOptions, cwd: string, now: number): RunsFilter {
  const statuses = status?.split(",").map((word) => oneOf("--status", word.trim(), RUN_STATUSES));
  const reason = blockedBy === undefined ? null : oneOf("--blocked-by", blockedBy, BLOCKED_REASONS);
  const named = repo === undefined ? null : path.resolve(cwd, repo);
  const folder = named === null ? null : (repositoryOf(named) ?? named);
  return {
    statuses,
    since: since === undefined ? 0 : sinceTime(since, now),
    isWanted: (details) =>
      (folder === null || isWithin(details.repository, folder)) &&
      (reason === null || details.blockedBy === reason),
  };
}

function oneOf<Word extends string>(option: string, word: string, known: readonly Word[]): Word {
  const found = known.find((one) => one === word);
  if (found !== undefined) return found;
  throw new Fault(
    "usage",
    `${option} is "${word}"${didYouMean(word, known)} Expected one of ${known.join(", ")}`,
    { details: { option, word } },
  );
}

/** `2d`: within the last two days; or a date, with or without a time. */
function sinceTime(text: string, now: number): number {
  if (/^\d{4}-\d\d-\d\d/.test(text)) {
    const at = Date.parse(text);
    if (!Number.isNaN(at)) return at;
  }
  try {
    return now - durationMs(text);
  } catch (error) {
    throw new Fault(
      "usage",
      `--since "${text}" is no time; expected one such as 2h, 7d or 2026-03-01T07:30`,
      {
        cause: error,
      },
    );
  }
}
