import { z } from "zod";
import { attemptList, transcriptOf } from "../../views/attempt-list.ts";
import { deliveriesOf } from "../../views/deliveries.ts";
import { sharedList, waitingRuns } from "../../views/pages/incident-list.ts";
import { timelineOf } from "../../views/timeline.ts";
import { usageSeries } from "../../views/usage-series.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import * as answers from "./answers.ts";
import { route, type AnyRoute } from "./define-route.ts";
import { journalWindow, windowAnswer, windowQuery } from "./journal-window.ts";

const { none, runParams } = answers;
const SERIES_POINTS_MAX = 500;
const NOT_ENDED = ["queued", "running", "pausing", "paused", "awaiting_approval", "blocked"] as const;
const windowed = { role: "viewer", params: runParams, query: windowQuery } as const;
const nullableTime = z.string().nullable();
const place = z.number().nullable();

const interval = z.object({
  kind: z.enum(["attempt", "wait", "blocked", "paused"]),
  lane: z.string(),
  id: z.string(),
  from: nullableTime.describe("Null: it began before the window."),
  fromSeq: place,
  to: nullableTime.describe("Null: it ends behind the window, or has not ended."),
  toSeq: place,
  agent: z.string().nullable(),
  outcome: z.string().nullable(),
  text: z.string(),
});
const mark = z.object({
  kind: z.string(),
  at: z.string(),
  seq: z.number(),
  lane: z.string(),
  outcome: z.string().nullable(),
  text: z.string(),
});
const usage = z.object({
  at: z.string(),
  seq: z.number(),
  usd: z.number(),
  tokensIn: z.number(),
  tokensOut: z.number(),
});
const context = z.object({ at: z.string(), seq: z.number(), attempt: z.string(), usedPct: z.number() });
const attempt = z.object({
  attempt: z.string(),
  step: z.string(),
  agent: z.string().nullable(),
  session: z.string().nullable(),
  startedAt: nullableTime,
  endedAt: nullableTime,
  outcome: z.string().nullable(),
  why: z.string().nullable(),
  charged: z.boolean().nullable(),
});
const said = z.object({
  at: z.string(),
  seq: z.number(),
  attempt: z.string(),
  kind: z.string(),
  from: z.string().nullable(),
  lines: z.array(z.string()),
});
const delivery = z.object({
  run: z.string(),
  id: z.string(),
  channel: z.string(),
  state: z.enum(["waiting", "tried_again", "given_up"]),
  tries: z.number(),
  why: z.string().nullable(),
  nextTry: nullableTime,
});

const sharedView = z.object({
  ground: z.string(),
  kind: z.string().describe("account, host or repository."),
  name: z.string(),
  state: z.enum(["fine", "paused", "trying", "open"]),
  heardAt: z.string(),
  failures: z.number(),
  troubles: z.array(z.object({ at: z.string(), kind: z.string(), run: z.string(), attempt: z.string() })),
  incident: z
    .object({
      id: z.string(),
      cause: z.string(),
      since: z.string(),
      text: z.string(),
      members: z.array(z.string()),
    })
    .nullable(),
  waiting: z
    .array(z.object({ run: z.string(), step: z.string(), ground: z.string(), until: nullableTime }))
    .describe("Runs whose next step waits for it."),
});

export const viewRoutes = [
  route("getTimeline", {
    ...windowed,
    summary:
      "Attempts, waits, blocks and pauses as intervals, and what happened on the way, of a window of the journal.",
    answer: windowAnswer.extend({ intervals: z.array(interval), marks: z.array(mark) }),
    handle: async (request, { params, query }) => {
      const { page, events, state } = await journalWindow(request, params.run, query);
      return { kind: "document", document: { ...page, ...timelineOf(events, state) } };
    },
  }),
  route("getSeries", {
    ...windowed,
    summary: "Cost, tokens and context over a window of the journal; what was spent in all stands beside it.",
    answer: windowAnswer.extend({
      usage: z.array(usage),
      context: z.array(context),
      spent: z.looseObject({}),
    }),
    handle: async (request, { params, query }) => {
      const { page, events } = await journalWindow(request, params.run, query);
      const spent = (await request.operations.loadRun(page.run))?.spent ?? {};
      return { kind: "document", document: { ...page, ...usageSeries(events, SERIES_POINTS_MAX), spent } };
    },
  }),
  route("listAttempts", {
    ...windowed,
    summary: "Attempts that began or ended in a window of the journal, and those at work.",
    answer: windowAnswer.extend({ attempts: z.array(attempt) }),
    handle: async (request, { params, query }) => {
      const { page, events, state } = await journalWindow(request, params.run, query);
      return { kind: "document", document: { ...page, attempts: attemptList(events, state) } };
    },
  }),
  route("getTranscript", {
    ...windowed,
    summary: "What was said and done, as people read it, of a window of the journal.",
    query: windowQuery.extend({ attempt: z.string().max(300).optional() }),
    answer: windowAnswer.extend({ transcript: z.array(said) }),
    handle: async (request, { params, query }) => {
      const { page, events } = await journalWindow(request, params.run, query);
      const transcript = transcriptOf(events, query.attempt ?? null);
      return { kind: "document", document: { ...page, transcript } };
    },
  }),
  route("listIncidents", {
    role: "viewer",
    params: none,
    query: none,
    summary:
      "Accounts, hosts and repositories that runs share: those in trouble, with what was reported of each and which runs wait.",
    answer: z.object({
      incidents: z.array(z.looseObject({ ground: z.string(), state: z.string(), text: z.string() })),
      shared: z.array(sharedView),
    }),
    handle: async ({ operations, now }) => {
      const at = now();
      const { journal, loadRun, loadSharedResources, troubled } = operations;
      const states = [];
      for (const { run } of await journal.runs({ statuses: ["running"], onDamaged: () => undefined }))
        states.push(await loadRun(run).catch(() => null));
      const waiting = waitingRuns(
        states.filter((state) => state !== null),
        at,
      );
      const shared = sharedList(await loadSharedResources(), waiting, at);
      return { kind: "document", document: { incidents: await troubled(at), shared } };
    },
  }),
  route("listDeliveries", {
    role: "viewer",
    params: none,
    query: z.object({ limit: z.coerce.number().int().min(1).max(500).default(200) }),
    summary:
      "Notices to people that are under way, and those that never arrived, of runs that have not ended.",
    answer: z.object({ deliveries: z.array(delivery) }),
    handle: async ({ operations: { journal, loadRun } }, { query: { limit } }) => {
      const listed = await journal.runs({ statuses: NOT_ENDED, onDamaged: () => undefined });
      const deliveries = [];
      for (const { run } of listed) {
        if (deliveries.length >= limit) break;
        const state = await loadRun(run).catch(() => null);
        if (state !== null) deliveries.push(...deliveriesOf(state));
      }
      return { kind: "document", document: { deliveries: deliveries.slice(0, limit) } };
    },
  }),
  route("listHosts", {
    role: "viewer",
    params: none,
    query: none,
    summary: "Who holds a lease of the store, on which host, and when it last gave a sign of life.",
    answer: z.object({
      hosts: z.array(
        z.object({
          host: z.string(),
          processes: z.array(
            z.object({
              owner: z.string(),
              pid: z.number(),
              beatAgeMs: z.number().nullable(),
              holds: z.array(z.string()),
            }),
          ),
        }),
      ),
      at: z.string(),
    }),
    handle: async ({ operations: { journal }, now }) => {
      const hosts = new Map<
        string,
        Map<string, { owner: string; pid: number; beatAgeMs: number | null; holds: string[] }>
      >();
      for (const { address, owner, beatAgeMs } of await journal.holders()) {
        const { host, pid } = owner.process;
        const here = hosts.get(host) ?? new Map<string, never>();
        hosts.set(host, here);
        const known = here.get(owner.id) ?? { owner: owner.id, pid, beatAgeMs, holds: [] };
        known.holds.push(address);
        here.set(owner.id, known);
      }
      const document = {
        hosts: [...hosts].map(([host, rows]) => ({ host, processes: [...rows.values()] })),
        at: isoTime(now()),
      };
      return { kind: "document", document };
    },
  }),
] satisfies readonly AnyRoute[];
