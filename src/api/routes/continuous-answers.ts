import { z } from "zod";

const time = z.string().describe("ISO 8601, UTC");
const command = z.string().describe("A command to paste.");
const amounts = z.looseObject({ usd: z.number(), tokens: z.number(), timeMs: z.number(), runs: z.number() });
const limits = z.looseObject({
  usd: z.number().optional(),
  tokens: z.number().optional(),
  timeMs: z.number().optional(),
  runs: z.number().optional(),
});

const goal = z.looseObject({
  id: z.string(),
  goal: z.string(),
  priority: z.number(),
  status: z.string().describe("queued, at_work, waiting, or how it ended."),
  run: z.string().nullable(),
  runStatus: z.string().nullable(),
  tries: z.number(),
  notBefore: time.nullable(),
  text: z.string().nullable().describe("Why it waits, or how it ended."),
});

/** A session without its goals: there may be thousands. */
const listed = z.looseObject({
  session: z.string(),
  status: z.string().describe("running, idle, paused, blocked, stopped or ended."),
  since: time,
  by: z.string(),
  intake: z.string(),
  end: z.string().nullable(),
  text: z.string().nullable(),
  left: z.array(z.string()).describe("The goals that are not over."),
  blockedBy: z.array(
    z.looseObject({
      run: z.string(),
      goal: z.string(),
      reason: z.string(),
      detail: z.string(),
      command,
    }),
  ),
  stoppedBy: z.string().nullable(),
  pausedBy: z.string().nullable(),
  counts: z.record(z.string(), z.number()),
  budget: z.looseObject({
    limits: limits.extend({ day: limits.optional() }),
    spent: amounts,
    today: amounts,
  }),
  nextAt: time.nullable().describe("When it starts a goal or looks for goals by itself."),
  idleRounds: z.number().describe("How often in a row nothing was found to do."),
  problems: z.array(z.string()),
  command: command.nullable(),
});

export const continuousListAnswer = z.looseObject({ sessions: z.array(listed) });
export const continuousAnswer = listed.extend({ goals: z.array(goal) });
export const continuousToldAnswer = continuousAnswer.extend({
  answer: z.string(),
  changed: z.boolean(),
});
