import { z } from "zod";
import { MISSION_NAME } from "../../../model/mission/mission-spec.ts";
import * as answers from "../answers.ts";
import { route, type AnyRoute } from "../define-route.ts";
import {
  missionAnswer,
  missionDiffAnswer,
  missionListAnswer,
  askedMissionAnswer,
} from "./mission-answers.ts";
import { flag, operands, option, performCommand, runWord } from "../perform-command.ts";

const { none } = answers;
const id = z.string().min(1).max(200);
const count = z.number().int().min(0).max(100);
const missionParams = z.object({
  mission: id.describe("The mission's name; - for the only one that is not over."),
});

const beginSchema = z.strictObject({
  file: z.string().min(1).max(4_096).describe("The mission's file, on the machine of the server."),
  name: z.string().regex(MISSION_NAME).optional().describe("Instead of the file's."),
  folder: z
    .string()
    .max(4_096)
    .optional()
    .describe("The folder from which the file is named; that of the server if left out."),
});

const askSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("pause") }),
  z.strictObject({ kind: z.literal("resume") }),
  z.strictObject({ kind: z.literal("stop") }),
  z.strictObject({ kind: z.literal("reconcile") }),
  z.strictObject({
    kind: z.literal("launch"),
    workstream: id,
    retry: z.boolean().optional().describe("It has failed: another run."),
  }),
  z.strictObject({ kind: z.literal("skip"), workstream: id }),
  z.strictObject({ kind: z.literal("pass"), barrier: id }),
  z.strictObject({
    kind: z.literal("autopilot"),
    off: z.boolean().optional().describe("Launch nothing more."),
    autoRetry: z.boolean().optional(),
    maxRetries: count.optional().describe("Of each workstream; 2 if left out."),
    maxMissionRetries: count.optional().describe("In all; 10 if left out."),
    continueOnFailure: z.boolean().optional(),
  }),
  z.strictObject({
    kind: z.literal("approve"),
    digest: id.optional().describe("What `diffMission` has shown; refused if the work is another by now."),
  }),
]);
type Ask = z.infer<typeof askSchema>;

function askWords(mission: string, ask: Ask): string[] {
  const name = runWord(mission);
  switch (ask.kind) {
    case "launch":
      return [...option("workstream", ask.workstream), ...flag("retry", ask.retry), ...operands(name)];
    case "skip":
      return [...option("mission", name), ...operands(ask.workstream)];
    case "pass":
      return [...option("mission", name), ...operands(ask.barrier)];
    case "autopilot":
      return [...autopilotWords(ask), ...operands(name)];
    case "approve":
      return [...option("digest", ask.digest), ...operands(name)];
    case "pause":
    case "resume":
    case "stop":
    case "reconcile":
      return operands(name);
  }
}

const autopilotWords = (ask: Extract<Ask, { kind: "autopilot" }>): string[] => [
  ...flag("off", ask.off),
  ...flag("auto-retry", ask.autoRetry),
  ...option("max-retries", ask.maxRetries),
  ...option("max-mission-retries", ask.maxMissionRetries),
  ...flag("continue-on-failure", ask.continueOnFailure),
];

const read = { role: "viewer", query: none } as const;
const KINDS = ["pause", "resume", "stop", "reconcile", "launch", "skip", "pass", "autopilot", "approve"];

export const missionRoutes = [
  route("listMissions", {
    ...read,
    summary: "The missions of the store, newest first: where each stands and what it waits for.",
    params: none,
    answer: missionListAnswer,
    commands: ["mission list"],
    handle: (context) => performCommand(context, ["mission", "list"]),
  }),
  route("getMission", {
    ...read,
    summary:
      "One mission: its workstreams with every try, its barriers and repositories, and where what is recorded differs from these.",
    params: missionParams,
    answer: missionAnswer,
    commands: ["mission status"],
    handle: (context, { params: { mission } }) =>
      performCommand(context, ["mission", "status", ...operands(runWord(mission))]),
  }),
  route("diffMission", {
    ...read,
    summary: "The work of all workstreams together, in the order in which one approval takes it in.",
    params: missionParams,
    answer: missionDiffAnswer,
    commands: ["mission diff"],
    handle: (context, { params: { mission } }) =>
      performCommand(context, ["mission", "diff", ...operands(runWord(mission))]),
  }),
  route("beginMission", {
    summary: "Checks a mission's file and its repositories, and records the mission; launches nothing.",
    role: "operator",
    params: none,
    query: none,
    body: beginSchema,
    answer: askedMissionAnswer,
    commands: ["mission start"],
    handle: (context, { body: { file, name, folder } }) =>
      performCommand(context, ["mission", "start", ...option("name", name), ...operands(file)], {
        cwd: folder,
      }),
  }),
  route("askMission", {
    summary:
      "Launches or leaves out a workstream, lets a barrier pass, sets the autopilot, approves, reconciles, pauses, resumes or stops.",
    role: "operator",
    params: missionParams,
    query: none,
    body: askSchema,
    answer: askedMissionAnswer,
    commands: KINDS.map((kind) => `mission ${kind}`),
    handle: (context, { params: { mission }, body }) =>
      performCommand(context, ["mission", body.kind, ...askWords(mission, body)]),
  }),
] satisfies readonly AnyRoute[];
