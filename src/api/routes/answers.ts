import { z } from "zod";

/** What routes answer with. Objects may gain fields; those that stand here keep their meaning. */
const time = z.string().describe("ISO 8601, UTC");
const command = z.string().describe("A command to paste.");

export const runParams = z.object({
  run: z.string().min(1).max(200).describe("The run's id, or the beginning or end of it."),
});
export const none = z.object({});

export const healthAnswer = z.object({ alive: z.literal(true) });

export const choice = z.looseObject({ command, does: z.string() });

export const blockedAnswer = z.looseObject({
  reason: z.string(),
  owner: z.string(),
  command,
  attemptKept: z.boolean(),
  guidance: z.array(z.unknown()),
  choices: z.array(choice).optional(),
});

export const runAnswer = z.looseObject({
  run: z.string(),
  goal: z.string(),
  status: z.string(),
  health: z.looseObject({ state: z.string() }),
  step: z.string().nullable(),
  attempt: z.number().nullable(),
  blocked: blockedAnswer.nullable(),
  position: z.number(),
  createdAt: time,
  updatedAt: time,
});

export const listedRun = z.looseObject({
  run: z.string(),
  status: z.string(),
  goal: z.string(),
  position: z.number(),
  createdAt: time,
  updatedAt: time,
});

export const runsAnswer = z.looseObject({
  runs: z.array(listedRun),
  total: z.number().describe("How many fit the filter."),
  next: z.string().nullable().describe("The cursor of the next page; null at the end."),
});

export const eventAnswer = z.object({
  run: z.string(),
  seq: z.number(),
  at: z.number().describe("Milliseconds since 1970."),
  type: z.string(),
  data: z.unknown(),
  hash: z.string(),
});

export const eventsAnswer = z.object({
  run: z.string(),
  events: z.array(eventAnswer),
  head: z.number().describe("The number of the run's last event."),
  after: z.number().nullable().describe("Ask with it for the events that follow; null at the head."),
  before: z.number().nullable().describe("Ask with it for the events before these; null at the beginning."),
});

export const requestAnswer = z.looseObject({
  run: z.string(),
  outcome: z.string().optional().describe("done, or queued: it is in the inbox and will be answered."),
  text: z.string().optional(),
});

export const bulkAnswer = z.object({
  answers: z.array(
    z.object({
      run: z.string(),
      status: z.number(),
      answer: z.unknown().optional(),
      problem: z.unknown().optional(),
    }),
  ),
});

export const inboxEntry = z.looseObject({
  id: z.string().nullable(),
  run: z.string(),
  reason: z.string(),
  owner: z.string(),
  detail: z.string(),
  gate: z.string().nullable(),
  digest: z.string().nullable(),
  since: time,
  command,
  advice: z.string(),
});

export const inboxAnswer = z.looseObject({ inbox: z.array(inboxEntry), incidents: z.array(z.unknown()) });

export const tokenRow = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(["viewer", "operator", "admin"]),
  createdAt: time,
  expiresAt: time.nullable(),
});

export const anyDocument = z.looseObject({});

/** RFC 9457. */
export const problemAnswer = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  detail: z.string(),
  code: z.string().describe("Our fault code, or that of the guard."),
  expected: z.string().optional(),
  command: z.string().optional().describe("The command that helps."),
  details: z.unknown().optional(),
});
