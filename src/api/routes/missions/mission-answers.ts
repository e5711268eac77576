import { z } from "zod";

const time = z.string().describe("ISO 8601, UTC");
const command = z.string().describe("A command to paste.");
const names = z.array(z.string());
const limits = z.looseObject({
  usd: z.number().optional(),
  tokens: z.number().optional(),
  timeMs: z.number().optional(),
  runs: z.number().optional(),
});

const tryOf = z.looseObject({
  run: z.string(),
  at: time,
  by: z.string(),
  wave: z.number().nullable().describe("Null where a person launched it."),
  retry: z.boolean(),
  status: z.string().nullable().describe("That of its run, as far as is recorded."),
  end: z.string().nullable(),
  text: z.string().nullable(),
});

const workstream = z.looseObject({
  id: z.string(),
  repository: z.string(),
  goal: z.string(),
  needs: names.describe("Workstreams and barriers that come before it."),
  waitsFor: names.describe("Those of them that are not done."),
  status: z
    .string()
    .describe("queued, ready, at_work, waiting, done, failed, cancelled, not_started, skipped or accepted."),
  run: z.string().nullable(),
  text: z.string().nullable().describe("Why it waits, or how it ended."),
  commit: z.string().nullable(),
  found: z
    .string()
    .nullable()
    .describe("What the repository says of its work: already, fast_forward, merge, conflict or missing."),
  accepted: z.looseObject({ commit: z.string(), into: z.string(), how: z.string(), at: time }).nullable(),
  tries: z.array(tryOf).describe("Every run that it was given to, oldest first."),
});

const barrier = z.looseObject({
  name: z.string(),
  of: names.describe("The workstreams that it waits for."),
  when: z.union([z.string(), names]).describe("all, any, or those of them that must be done."),
  conditions: names.describe("Values that must stand in files of its workstreams, in words."),
  approval: z.boolean().describe("A person lets it pass."),
  open: z.boolean(),
  by: z.string().nullable(),
  text: z.string().nullable().describe("What keeps it closed."),
});

const repository = z.looseObject({
  name: z.string(),
  path: z.string(),
  branch: z.string().describe("The branch that the mission works for."),
  stand: z
    .looseObject({ branch: z.string().nullable(), commit: z.string().nullable() })
    .nullable()
    .describe("Where it stands now; null where it is not there."),
  dirty: names.describe("What is not committed."),
});

const difference = z.looseObject({
  kind: z.string(),
  workstream: z.string().nullable(),
  repository: z.string().nullable(),
  text: z.string(),
  command,
});

const waiting = z.looseObject({
  run: z.string(),
  workstream: z.string(),
  reason: z.string(),
  detail: z.string(),
  command,
});

const block = z.looseObject({
  kind: z.string(),
  repository: z.string(),
  workstream: z.string().optional(),
  detail: z.string(),
  command,
});

const autopilot = z.looseObject({
  autoRetry: z.boolean(),
  retries: z.number(),
  missionRetries: z.number(),
  continueOnFailure: z.boolean(),
});

export const missionAnswer = z.looseObject({
  mission: z.string(),
  status: z
    .string()
    .describe("open, running, blocked, paused, stopped, ready_to_accept, accepting or ended."),
  since: time,
  by: z.string(),
  text: z.string().nullable().describe("How it ended."),
  stoppedBy: z.string().nullable(),
  pausedBy: z.string().nullable(),
  autopilot: autopilot.nullable(),
  autopilotStop: z.looseObject({ reason: z.string(), text: z.string() }).nullable(),
  wave: z.number().nullable(),
  blockedBy: z.array(waiting).describe("The runs that wait for a person."),
  barriers: z.array(barrier),
  block: block.nullable().describe("What holds the acceptance."),
  approvedBy: z.string().nullable(),
  digest: z.string().nullable().describe("What would be approved now; null while something is not done."),
  reconciliationRequired: z
    .array(difference)
    .describe("Where what is recorded differs from what runs and repositories say."),
  budget: z.looseObject({
    limits,
    spent: z.looseObject({ usd: z.number(), tokens: z.number(), timeMs: z.number(), runs: z.number() }),
  }),
  order: names.describe("The order in which work is accepted."),
  workstreams: z.array(workstream),
  repositories: z.array(repository),
  command: command.nullable().describe("What continues it; null while it needs nobody."),
});

export const missionListAnswer = z.looseObject({ missions: z.array(missionAnswer) });
export const askedMissionAnswer = missionAnswer.extend({
  answer: z.string(),
  changed: z.boolean(),
  warning: z.string().optional(),
});

export const missionDiffAnswer = z.looseObject({
  mission: z.string(),
  digest: z.string().nullable(),
  diffs: z.array(
    z.looseObject({
      workstream: z.string(),
      repository: z.string(),
      commit: z.string(),
      found: z.string().nullable(),
      patch: z.string().nullable().describe("Null where the repository does not hold it."),
    }),
  ),
  command: command.nullable().describe("What approves exactly this; null while something is not done."),
});
