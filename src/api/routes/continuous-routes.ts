import { z } from "zod";
import { CONTINUOUS_NAME } from "../../model/continuous/continuous-spec.ts";
import * as answers from "./answers.ts";
import { continuousAnswer, continuousListAnswer, continuousToldAnswer } from "./continuous-answers.ts";
import { route, type AnyRoute } from "./define-route.ts";
import { flag, operands, option, performCommand, runWord } from "./perform-command.ts";

const { none } = answers;
const text = z.string().min(1).max(16_384);
const sessionParams = z.object({
  session: z.string().min(1).max(200).describe("The session's name; - for the only one that is not over."),
});

const beginSchema = z.strictObject({
  file: text.optional().describe("A list of goals, in the repository."),
  source: text.optional().describe("A folder of goals, or command:COMMAND."),
  name: z.string().regex(CONTINUOUS_NAME).optional(),
  agent: text.optional(),
  flow: text.optional(),
  checks: z.array(text).max(50).optional(),
  concurrency: z.number().int().positive().optional(),
  onBlocked: z.string().max(40).optional().describe("pause or continue."),
  onFailed: z.string().max(40).optional().describe("stop or skip."),
  idle: z.string().max(40).optional().describe("What to do when no goal is left."),
  vision: text.optional().describe("What a planner goes by, who is asked for the next goals."),
  inPlace: z.boolean().optional(),
  repository: z
    .string()
    .max(4_096)
    .optional()
    .describe("The folder to work in; that of the server if left out."),
});

const beginWords = (wish: z.infer<typeof beginSchema>): string[] => [
  ...["continuous", ...option("source", wish.source), ...option("name", wish.name)],
  ...[...option("agent", wish.agent), ...option("flow", wish.flow)],
  ...(wish.checks ?? []).flatMap((check) => option("check", check)),
  ...[...option("concurrency", wish.concurrency), ...option("on-blocked", wish.onBlocked)],
  ...[
    ...option("on-failed", wish.onFailed),
    ...option("idle", wish.idle),
    ...option("vision", wish.vision),
    ...flag("in-place", wish.inPlace),
  ],
  ...operands(wish.file),
];

const askSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("pause") }),
  z.strictObject({ kind: z.literal("resume") }),
  z.strictObject({ kind: z.literal("stop") }),
  z.strictObject({ kind: z.literal("skip"), goal: z.string().min(1).max(200) }),
]);

/** Behind the name of a session stands nothing but the name; - is the one at hand, as for runs. */
const askWords = (session: string, ask: z.infer<typeof askSchema>): string[] =>
  ask.kind === "skip"
    ? ["continuous", "skip", ...option("session", runWord(session)), ...operands(ask.goal)]
    : ["continuous", ask.kind, ...operands(runWord(session))];

export const continuousRoutes = [
  route("listContinuous", {
    summary: "The continuous sessions of the store, newest first: where each stands and what blocks it.",
    role: "viewer",
    params: none,
    query: none,
    answer: continuousListAnswer,
    commands: ["continuous list"],
    handle: (context) => performCommand(context, ["continuous", "list"]),
  }),
  route("getContinuous", {
    summary: "One continuous session with all its goals and their runs.",
    role: "viewer",
    params: sessionParams,
    query: none,
    answer: continuousAnswer,
    commands: ["continuous status"],
    handle: (context, { params: { session } }) =>
      performCommand(context, ["continuous", "status", ...operands(runWord(session))]),
  }),
  route("beginContinuous", {
    summary: "Begins a continuous session; one that was begun before is left as it is.",
    role: "operator",
    params: none,
    query: none,
    body: beginSchema,
    answer: continuousToldAnswer,
    commands: ["continuous"],
    handle: (context, { body }) => performCommand(context, beginWords(body), { cwd: body.repository }),
  }),
  route("askContinuous", {
    summary: "Pauses, resumes or stops a continuous session, or leaves one of its goals out.",
    role: "operator",
    params: sessionParams,
    query: none,
    body: askSchema,
    answer: continuousToldAnswer,
    commands: ["continuous pause", "continuous resume", "continuous stop", "continuous skip"],
    handle: (context, { params: { session }, body }) => performCommand(context, askWords(session, body)),
  }),
] satisfies readonly AnyRoute[];
