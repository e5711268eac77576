import { setTimeout as delay } from "node:timers/promises";
import type { Recorded } from "../../model/events/events.ts";
import { durationMs } from "../../model/text/duration.ts";
import { isEnded, isWorking, type RunStatus } from "../../model/state/run-status.ts";
import type { StatusView } from "../../views/status/status.ts";
import type { WatchEntry } from "../../views/runs/watch-entry.ts";
import { printEvent, knownTypes, STANDING_EVENTS } from "../print/print-event.ts";
import { createProgress } from "../print/progress.ts";
import { WatchScreen } from "../print/watch/watch-lines.ts";
import { onInterrupt } from "../run/interrupts.ts";
import { isStandstill } from "../run/end-of-following.ts";
import { EXIT } from "../shell/define-command.ts";
import type { Called } from "./called.ts";
import type { Later, Remote } from "./remote.ts";
import { persistently, remoteEvents, RemoteNews } from "./remote-news.ts";

type Standing = Omit<StatusView, "status"> & { readonly status: RunStatus };

const LOOK_EVERY_MS = 500;
const NEVER = new AbortController().signal;
const statusOf = (remote: Remote, run: string, until = NEVER): Promise<Standing> =>
  persistently(remote, until, () => remote.ask<Standing>({ route: "getRun", params: { run } }));

/** The run that is meant; without a name the newest. */
async function runNamed(remote: Remote, text: string | undefined): Promise<string> {
  if (text !== undefined) return (await remote.ask<Standing>({ route: "getRun", params: { run: text } })).run;
  const { runs } = await remote.ask<{ runs: { run: string }[] }>({ route: "listRuns", query: { limit: 1 } });
  return runs[0]?.run ?? (await remote.ask<Standing>({ route: "getRun", params: { run: "-" } })).run;
}

/** Ctrl-C ends what only looks; the run is not affected. */
async function untilInterrupted<T>(work: (until: AbortController) => Promise<T>): Promise<T | null> {
  const over = new AbortController();
  let isInterrupted = false;
  const quiet = onInterrupt(() => {
    isInterrupted = true;
    over.abort();
  });
  try {
    const done = await work(over);
    return isInterrupted ? null : done;
  } catch (error) {
    if (isInterrupted) return null;
    throw error;
  } finally {
    quiet();
    over.abort();
  }
}

function left(remote: Remote, run: string): number {
  remote.output.note(`no longer following ${run}, which goes on as it was`);
  return EXIT.interrupted;
}

interface Followed {
  readonly run: string;
  readonly after: number;
  readonly over: AbortController;
}

/** Hands on every event once, until the run stands still or the signal is given. */
async function follow(
  remote: Remote,
  { run, after, over }: Followed,
  show: (event: Recorded) => void,
): Promise<void> {
  const news = new RemoteNews(remote, run);
  try {
    const begun = await statusOf(remote, run, over.signal);
    let isOver = isStandstill(begun.status);
    for (let seq = after; ;) {
      const wasOver = isOver || over.signal.aborted;
      for await (const event of remoteEvents(remote, run, { after: seq, until: over.signal })) {
        show(event);
        seq = event.seq;
        if (event.seq > begun.position && STANDING_EVENTS.includes(event.type)) isOver = true;
      }
      if (wasOver) return;
      if (!isOver) await news.next(over.signal);
    }
  } finally {
    news.close();
  }
}

/** What is said when nothing more comes by itself. */
async function endOfFollowing(remote: Remote, run: string): Promise<number> {
  const { status, blocked, next } = await statusOf(remote, run);
  if (isEnded(status)) return EXIT.done;
  const why = blocked === null ? "" : `: ${blocked.detail}`;
  remote.output.note(`${run} is ${status.replaceAll("_", " ")}${why}`);
  if (next !== null) remote.output.note(`continue it with: ${named(next, remote)}`);
  return EXIT.waiting;
}

/** Documents name the server's own store in commands; people here reach it by its address. */
const named = (command: string, remote: Remote): string =>
  `${command.replace(/ --store \S+$/, "")} --server ${remote.url}`;

export function followRemoteEvents(
  { args: [text], options: { type, since = 0, follow: isFollowed } }: Called,
  remote: Remote,
): Later {
  return async () => {
    const types = await knownTypes(type);
    const run = await runNamed(remote, text);
    if (text === undefined && !remote.output.json) remote.output.note(`events of ${run}:`);
    const show = (event: Recorded): void => {
      if (types === null || types.has(event.type)) printEvent(remote.output, event);
    };
    const done = await untilInterrupted(async (over) => {
      if (isFollowed !== undefined) await follow(remote, { run, after: Number(since), over }, show);
      else
        for await (const event of remoteEvents(remote, run, { after: Number(since), until: over.signal }))
          show(event);
      return true;
    });
    if (done === null) return left(remote, run);
    return isFollowed === undefined ? EXIT.done : endOfFollowing(remote, run);
  };
}

export function followRemoteLogs(
  { args: [text], options: { step, lines = 0, raw = false, cursor, follow: isFollowed } }: Called,
  remote: Remote,
): Later {
  const part = (run: string, query: Record<string, string | undefined>) => ({
    route: "getLogs" as const,
    params: { run },
    query: { step, raw: String(raw), ...query },
  });
  return async () => {
    const run = await runNamed(remote, text);
    const first = { lines: String(lines), cursor };
    if (isFollowed === undefined) return remote.show(part(run, first));
    const done = await untilInterrupted(async ({ signal }) => {
      let from: string | undefined = cursor;
      for (let query: Record<string, string | undefined> = first; ;) {
        // In this order: what was printed before the run ended is read after it was seen to have.
        const isOver = isStandstill((await statusOf(remote, run, signal)).status);
        const printed = await persistently(remote, signal, () => remote.print(part(run, query)));
        // What a look at nothing new says of the run was said before.
        if (printed.cursor !== null || query === first) remote.say(printed.stdout, printed.stderr);
        from = printed.cursor ?? from;
        query = { lines: "0", cursor: from };
        if (isOver || signal.aborted) return true;
        await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      }
    });
    return done === null ? EXIT.interrupted : endOfFollowing(remote, run);
  };
}

const PART_MS = 20_000;

export function waitRemotely({ args: [text], options: { timeout } }: Called, remote: Remote): Later {
  const until = timeout === undefined ? Infinity : Date.now() + durationMs(timeout);
  const plan = (run: string, ms: number) => ({
    route: "waitRun" as const,
    params: { run },
    query: { timeout: `${String(Math.max(1, Math.min(9_999, ms)))}ms` },
  });
  return async () => {
    // Without a name the server says which run is meant, or asks.
    const { run } = await remote.ask<Standing>(plan(text ?? "-", 1));
    const done = await untilInterrupted(async ({ signal }) => {
      for (;;) {
        const leftMs = until - Date.now();
        if (leftMs <= 0) return true;
        const wait = plan(run, Math.min(leftMs, PART_MS));
        const { status, supervision } = await persistently(remote, signal, () => remote.ask<Standing>(wait));
        if (!isWorking(status) || supervision?.state === "none" || signal.aborted) return true;
      }
    });
    const code = await remote.show(plan(run, 1));
    return done === null ? EXIT.interrupted : code;
  };
}

/** Created on the server, worked by its supervisor, and shown here as it goes. */
export function runRemotely({ args: [goal], options }: Called, remote: Remote): Later {
  const { flow, agent, plan, check: checks, budget, budgetBy, timeout, resume, reviewer } = options;
  const { approve, worktree, inPlace, detach, id } = options;
  const body = {
    ...{
      goal,
      flow,
      agent,
      plan,
      checks,
      budgetBy,
      timeout,
      resume,
      reviewer,
      approve,
      worktree,
      inPlace,
      id,
    },
    ...(budget === undefined ? {} : { budgetUsd: Number(budget) }),
  };
  const order = { route: "createRun" as const, body };
  return async () => {
    if (detach !== undefined) return remote.show(order);
    const { output } = remote;
    const { run, gateToken } = await remote.ask<{ run: string; gateToken?: string }>(order);
    if (gateToken !== undefined)
      output.note(`holdfast: token of ${run}: ${gateToken} (it opens the run's credentialed gates; keep it)`);
    const progress = createProgress(output, () => undefined);
    const done = await untilInterrupted(async (over) => {
      progress.say(`${run} · Ctrl-C leaves it to its supervisor · see also ${remote.command("status", run)}`);
      await follow(remote, { run, after: 0, over }, (event) => progress.event(event));
      return true;
    }).finally(() => progress.close());
    if (done === null) return left(remote, run);
    return remote.show({ route: "waitRun", params: { run }, query: { timeout: "10s" } });
  };
}

type Entry = Pick<WatchEntry, "run" | "group">;

/** All runs, once, or again whenever something has changed. */
export function watchRemotely({ options: { once } }: Called, remote: Remote): Later {
  const { output } = remote;
  return async () => {
    if (once !== undefined || (!output.json && !output.live)) return remote.show({ route: "getWatch" });
    const news = new RemoteNews(remote, null);
    const screen = new WatchScreen((text) => output.product(text));
    let before = new Map<string, string>();
    const records = async (until: AbortSignal): Promise<void> => {
      const { entries } = await persistently(remote, until, () =>
        remote.ask<{ entries: Entry[] }>({ route: "getWatch" }),
      );
      const now = new Map(entries.map((entry) => [entry.run ?? entry.group, JSON.stringify(entry)] as const));
      for (const entry of entries)
        if (before.get(entry.run ?? entry.group) !== JSON.stringify(entry)) output.record(entry);
      for (const run of before.keys()) if (!now.has(run)) output.record({ run, group: "gone" });
      before = now;
    };
    const draw = async (until: AbortSignal): Promise<void> => {
      const { stdout } = await persistently(remote, until, () => remote.print({ route: "getWatch" }));
      const lines = stdout.split("\n").slice(0, output.rows - 1);
      const { columns, rows } = output;
      screen.draw(
        lines.map((text) => ({ text: text.slice(0, columns), heading: false })),
        { columns, rows },
      );
    };
    try {
      await untilInterrupted(async ({ signal }) => {
        while (!signal.aborted) {
          await (output.json ? records(signal) : draw(signal));
          await news.next(signal);
        }
        return true;
      });
    } finally {
      news.close();
      if (!output.json) screen.close();
    }
    return EXIT.interrupted;
  };
}
