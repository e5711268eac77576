import { z } from "zod";
import { idSchema } from "../ids.ts";
import { event } from "./define-event.ts";
import { HEALTH_STATES, PATTERNS, WAITS } from "../agent/health.ts";
import { DEATH_KINDS } from "../host/supervision.ts";
import { TRIAGE_VERDICTS } from "../effects/effect-outcome.ts";
import { CAUSES, REMEDIES, REMEDY_OUTCOMES } from "../agent/ladder.ts";

/** Events about the health of attempts and what is done about it; part of the registry in `events.ts`. */
export const HEALTH_EVENTS = {
  SupervisorDied: event(
    "A supervisor ended in a turn of the run by something that came out of it; found by the next one.",
    () =>
      z.object({
        death: z.string(),
        how: z.enum(DEATH_KINDS),
        /** What was thrown, or how the process was ended. */
        text: z.string(),
        /** When it happened. */
        diedAt: z.number(),
      }),
  ),
  HealthChanged: event("What is thought of an attempt's health changed; the evidence says why.", () =>
    z.object({
      attempt: idSchema,
      state: z.enum(HEALTH_STATES),
      pattern: z.enum(PATTERNS).nullable(),
      confidence: z.number(),
      evidence: z.array(z.string()),
      waitsFor: z.enum(WAITS).nullable(),
      until: z.number().nullable(),
    }),
  ),
  RemedyTaken: event("A remedy is tried on an agent that is stuck; what it does follows with it.", () =>
    z.object({
      step: idSchema,
      attempt: idSchema,
      remedy: z.enum(REMEDIES),
      tryNumber: z.number().int(),
      pattern: z.enum(PATTERNS),
      /** Where the trouble comes from. */
      cause: z.enum(CAUSES).optional(),
      /** Who helps with the part that fails, and what it receives. */
      helper: z.object({ agent: idSchema, task: z.string() }).optional(),
      /** What comes after it begins a new conversation. */
      afresh: z.boolean().optional(),
    }),
  ),
  ExpertTried: event(
    "The checks or attempts of a step failed to the end: an expert takes it, once, before people are asked.",
    () => z.object({ step: idSchema, attempt: idSchema, from: z.string(), to: z.string(), why: z.string() }),
  ),
  TriageJudged: event(
    "What an agent made of a stuck one; it counts where the evidence is weak, and is no more than advice.",
    () =>
      z.object({
        step: idSchema,
        attempt: idSchema,
        verdict: z.enum(TRIAGE_VERDICTS),
        counts: z.boolean(),
        why: z.string(),
      }),
  ),
  RemedyJudged: event(
    "What became of a remedy: it helped, it did not, nothing shows whether it did, or it cannot be done here.",
    () =>
      z.object({
        step: idSchema,
        remedy: z.enum(REMEDIES),
        tryNumber: z.number().int(),
        outcome: z.enum(REMEDY_OUTCOMES),
        why: z.string(),
      }),
  ),
} as const;
