import { z } from "zod";
import { idSchema } from "../ids.ts";
import type { ClockReading } from "./clock.ts";
import {
  daySpentSchema,
  dayUsedSchema,
  storeStopSchema,
  type DaySpent,
  type StoreStop,
} from "./store-resource.ts";

const RESOURCE_FACTS = ["limited", "failed", "died", "broken", "worked", "spent"] as const;

/** What a run reports about what it depends on. */
export const sharedResourceFactSchema = z.object({
  /** Reported again under the same key, it counts once. */
  key: idSchema,
  kind: z.enum(RESOURCE_FACTS),
  run: z.string(),
  attempt: z.string(),
  text: z.string(),
  /** When a limit ends, where the provider named it. */
  until: z.number().nullable(),
  /** It was named by the clock (`resets 3pm`), not as so long from now. */
  named: z.boolean().optional(),
  /** Who goes first when the shared resource opens again. */
  priority: z.number(),
  /** Of a repository: which part of it failed, and what makes it the same failure as another run's. */
  about: z.string().optional(),
  same: z.string().optional(),
  /** The run from whose agents this one comes, at the root; none: nobody's agents started it. */
  family: z.string().optional(),
  /** Of `died`: how many other runs had a session alive under the same supervisor when it was reported. */
  living: z.number().int().optional(),
  /** Of `spent`: what the run has used. */
  used: dayUsedSchema.optional(),
});
export type SharedResourceFact = z.infer<typeof sharedResourceFactSchema>;

/** The numbers by which a fact is assessed: those of the run that reports it. */
export const sharedResourceRulesSchema = z.object({
  waitMs: z.number(),
  decayMs: z.number(),
  failures: z.number(),
  openMs: z.number(),
  successes: z.number(),
  deaths: z.number(),
  deathsMs: z.number(),
  hostPauseMs: z.number(),
  incidentRuns: z.number(),
  incidentMs: z.number(),
  brokenMs: z.number().default(120_000),
  brokenPauses: z.number().default(5),
});
export type SharedResourceRules = z.infer<typeof sharedResourceRulesSchema>;

const PAUSE_CAUSES = ["limit", "breaker", "deaths", "broken"] as const;

/** Nobody starts anything on the shared resource until it is over; then one run goes first, and the others follow. */
export const pauseSchema = z.object({
  id: z.number().int(),
  why: z.enum(PAUSE_CAUSES),
  since: z.number(),
  until: z.number(),
  /** How often in a row: each renewal is shorter. */
  nth: z.number().int(),
  text: z.string(),
  first: z.object({ run: z.string(), priority: z.number() }),
  /** How often it must have worked before the pause is past for everybody. */
  needed: z.number().int(),
  /** Only what needs that part of the resource waits; without it everything does. */
  about: z.string().optional(),
  /** `until` was named by the clock: it follows the wall clock. Otherwise the pause is as long as it was to be. */
  named: z.boolean().optional(),
});
export type Pause = z.infer<typeof pauseSchema>;

const INCIDENT_CAUSES = ["limit", "outage", "deaths", "repository"] as const;

/** One cause that several runs suffer from. */
export const incidentSchema = z.object({
  id: idSchema,
  cause: z.enum(INCIDENT_CAUSES),
  since: z.number(),
  text: z.string(),
  /** The run that notifies people. */
  by: z.string(),
  /** What makes it the same failure. */
  same: z.string().optional(),
});
export type Incident = z.infer<typeof incidentSchema>;

/** What a run knows of a shared resource. */
export const sharedResourceNewsSchema = z.object({
  pause: pauseSchema
    .extend({
      reopenedAt: z.number().nullable(),
      atOnce: z.boolean().optional(),
      /** Its times are moments of the wall clock of this boot, and move when that is set; absent for appointments. */
      boot: z.string().optional(),
    })
    .nullable(),
  incident: incidentSchema.nullable(),
  /** Attempts of this run that did not die of themselves. */
  pardons: z.array(z.string()),
  /** Of the store alone: its last stop, and its budget of the day. */
  stop: storeStopSchema.optional(),
  day: daySpentSchema.optional(),
});
export type SharedResourceNews = z.infer<typeof sharedResourceNewsSchema>;

export interface SharedResourceTrouble {
  readonly at: number;
  readonly kind: "limited" | "failed" | "died" | "broken";
  readonly run: string;
  readonly attempt: string;
  readonly same?: string;
  readonly family?: string;
  /** The boot of the machine by whose clock it was reported. */
  readonly boot?: string;
}

/** The fold over a shared resource's events. Plain JSON and bounded. */
export interface SharedResourceState {
  readonly ground: string;
  seq: number;
  at: number;
  /** What the clocks of a machine said when a process of it last reported something, by boot; the newest boots. */
  clocks: Readonly<Record<string, ClockReading>>;
  /** By whose clock the last fact was reported. */
  boot?: string | undefined;
  /** Keys of the last facts. */
  known: string[];
  troubles: SharedResourceTrouble[];
  /** Failures of the provider since it last worked. */
  failures: number;
  /** The last one, over or not. */
  pause:
    | (Pause & {
        readonly reopenedAt: number | null;
        readonly successes: number;
        readonly atOnce?: boolean | undefined;
        readonly boot?: string | undefined;
      })
    | null;
  incidents: number;
  incident:
    | (Incident & { readonly members: readonly string[]; readonly lastAt: number; readonly boot?: string })
    | null;
  /** Attempts that died in the last mass death. */
  pardoned: readonly string[];
  /** Of the store alone. */
  stop: StoreStop | null;
  day: DaySpent | null;
}
