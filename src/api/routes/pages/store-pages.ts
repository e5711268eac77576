import { z } from "zod";
import { dayOf } from "../../../model/text/utc-day.ts";
import { STORE_RESOURCE } from "../../../model/host/resource-address.ts";
import { isoTime } from "../../../model/text/iso-time.ts";
import { isEnded } from "../../../model/state/run-status.ts";
import { costDays } from "../../../views/pages/cost-days.ts";
import { ENDS, overviewOf } from "../../../views/pages/overview.ts";
import { WATCH_GROUPS } from "../../../views/runs/watch-entry.ts";
import * as answers from "../answers.ts";
import { route, type AnyRoute } from "../define-route.ts";
import type { HandlerContext } from "../handler-context.ts";
import { runFacts } from "./run-facts.ts";

const { none } = answers;
const DAYS_MAX = 62;
const DAY_MS = 86_400_000;
const nullable = z.string().nullable();

const dayBudget = z.object({ usd: z.number().optional(), tokens: z.number().optional() }).nullable();
const costDay = z.object({
  day: z.string().describe("UTC, such as 2026-11-17."),
  usd: z.number(),
  tokens: z.number(),
  runs: z.number().describe("How many runs used something on that day."),
});
const overviewRun = z.object({
  run: z.string(),
  goal: z.string(),
  status: z.string(),
  group: z.enum(WATCH_GROUPS),
  health: z.string(),
  what: z.string().describe("Where it stands, in words."),
  until: nullable.describe("When it goes on by itself, where that is known."),
  command: nullable.describe("What a person can do; null where nothing needs doing."),
  steps: z.object({ done: z.number(), of: z.number() }),
  agent: nullable.optional().describe("Of the step that it is at."),
  since: z.string(),
  end: z.enum(ENDS).nullable().describe("How it ended; unverified: completed on the agents' word alone."),
});
const byGroup = <Schema extends z.ZodType>(schema: Schema) =>
  z.object({ needs_you: schema, working: schema, waiting: schema, done: schema });

/** The budget that all runs of a day share, as it was last set. */
async function budgetOf({ loadSharedResources }: HandlerContext["operations"]) {
  const store = (await loadSharedResources()).find(({ ground: resource }) => resource === STORE_RESOURCE);
  return store?.day?.budget ?? null;
}

async function costsOf({ operations }: HandlerContext, now: number, count: number) {
  const from = now - count * DAY_MS;
  const listed = await operations.journal.runs({ onDamaged: () => undefined });
  const recent = listed.filter(({ updatedAt }) => updatedAt >= from);
  const facts = await runFacts(operations, recent);
  const days = costDays(
    [...facts.values()].map((one) => one.days),
    now,
    count,
  );
  const ended = new Map([...facts].map(([run, { end }]) => [run, end] as const));
  return {
    days,
    ended,
    unread: recent.filter(({ status }) => isEnded(status)).length - endedIn(recent, facts),
  };
}

const endedIn = (
  recent: readonly { readonly run: string; readonly status: Parameters<typeof isEnded>[0] }[],
  facts: ReadonlyMap<string, unknown>,
): number => recent.filter(({ run, status }) => isEnded(status) && facts.has(run)).length;

export const storePages = [
  route("getOverview", {
    role: "viewer",
    params: none,
    query: none,
    summary:
      "All runs at one moment: what needs somebody, works, waits and until when, is done today, and what today costs.",
    answer: z.object({
      at: z.string(),
      day: z.string(),
      counts: byGroup(z.number()),
      doneToday: z.object(
        Object.fromEntries(ENDS.map((end) => [end, z.number()])) as Record<
          (typeof ENDS)[number],
          z.ZodNumber
        >,
      ),
      cost: z.object({ usd: z.number(), tokens: z.number(), runs: z.number(), budget: dayBudget }),
      incidents: z.number().describe("Accounts, hosts and repositories that are in trouble."),
      groups: byGroup(z.array(overviewRun)).describe("The first 50 of each; done: of today."),
    }),
    handle: async (context) => {
      const { operations } = context;
      const now = context.now();
      const { days, ended } = await costsOf(context, now, 1);
      const { usd = 0, tokens = 0, runs = 0 } = days.at(-1) ?? {};
      const document = {
        at: isoTime(now),
        day: dayOf(now),
        ...overviewOf(await operations.watchEntries(now), { day: dayOf(now), ended }),
        cost: { usd, tokens, runs, budget: await budgetOf(operations) },
        incidents: (await operations.troubled(now)).length,
      };
      return { kind: "document", document };
    },
  }),
  route("listCosts", {
    role: "viewer",
    params: none,
    query: z.object({ days: z.coerce.number().int().min(1).max(DAYS_MAX).default(30) }),
    summary: "What all runs have used, by days (UTC), oldest first; the last one is today.",
    answer: z.object({
      days: z.array(costDay),
      today: costDay,
      budget: dayBudget.describe("What all runs may use in one day; null where nothing is set."),
      unread: z.number().describe("Ended runs that were not read for this answer: ask again for the rest."),
    }),
    handle: async (context, { query: { days: count } }) => {
      const { days, unread } = await costsOf(context, context.now(), count);
      const budget = await budgetOf(context.operations);
      return { kind: "document", document: { days, today: days.at(-1), budget, unread } };
    },
  }),
] satisfies readonly AnyRoute[];
