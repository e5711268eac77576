import { z } from "zod";
import * as answers from "./answers.ts";
import { route, type AnyRoute } from "./define-route.ts";
import { eventPage, eventsQuery } from "./event-page.ts";
import { flag, operands, option, performCommand, runWord } from "./perform-command.ts";
import { sendExport } from "./send-export.ts";
import { runsPage, runsQuery } from "./runs-page.ts";

const { runParams, none } = answers;
const seq = z.coerce
  .number()
  .int()
  .min(0)
  .max(2 ** 40);
const anyRun = { role: "viewer", params: runParams, answer: answers.anyDocument } as const;

export const runRoutes = [
  route("listRuns", {
    summary: "The runs of the store, newest first; filtered, sorted and in pages.",
    role: "viewer",
    params: none,
    query: runsQuery,
    answer: answers.runsAnswer,
    commands: ["runs"],
    handle: (context, { query }) => runsPage(context, query),
  }),
  route("getRun", {
    ...anyRun,
    summary: "Where a run stands: the projection that `status` prints.",
    query: none,
    answer: answers.runAnswer,
    commands: ["status"],
    handle: (context, { params: { run } }) => performCommand(context, ["status", ...operands(runWord(run))]),
  }),
  route("waitRun", {
    ...anyRun,
    summary:
      "Answers once the run has ended or waits for somebody, or after the time named; with the status.",
    query: z.object({
      timeout: z
        .string()
        .regex(/^(?:\d{1,4}ms|[1-5]?\ds|60s)$/)
        .default("20s"),
    }),
    commands: ["wait"],
    handle: (context, { params: { run }, query: { timeout } }) =>
      performCommand(context, ["wait", ...option("timeout", timeout), ...operands(runWord(run))]),
  }),
  route("listEvents", {
    ...anyRun,
    summary: "A page of the journal of a run, as it was recorded.",
    query: eventsQuery,
    answer: answers.eventsAnswer,
    commands: ["events"],
    handle: (context, { params: { run }, query }) => eventPage(context, run, query),
  }),
  route("getLogs", {
    ...anyRun,
    summary: "What the agents of a run printed: the last lines, or what comes after a cursor.",
    query: z.object({
      step: z.string().max(200).optional(),
      lines: z.coerce.number().int().min(0).max(5_000).default(500).describe("0: all."),
      raw: z
        .enum(["true", "false"])
        .default("false")
        .describe("Of people's text: also what is made for programs."),
      cursor: z.string().max(65_536).optional(),
    }),
    answer: z.object({ lines: z.array(z.looseObject({ text: z.string(), cursor: z.string() })) }),
    commands: ["logs"],
    handle: (context, { params: { run }, query: { step, lines, cursor, raw } }) =>
      performCommand(
        context,
        [
          "logs",
          ...option("step", step),
          ...option("lines", lines === 0 ? undefined : lines),
          ...flag("raw", raw === "true"),
          ...option("cursor", cursor),
          ...operands(runWord(run)),
        ],
        { document: ({ documents }) => ({ lines: documents }) },
      ),
  }),
  route("getWhy", {
    ...anyRun,
    summary: "How the run came to where it stands, back to its root causes.",
    query: z.object({ at: seq.optional() }),
    commands: ["why"],
    handle: (context, { params: { run }, query: { at } }) =>
      performCommand(context, ["why", ...option("at", at), ...operands(runWord(run))]),
  }),
  route("getReport", {
    ...anyRun,
    summary: "Everything about a run in one document.",
    query: z.object({ format: z.enum(["md", "html"]).optional() }),
    commands: ["report"],
    handle: (context, { params: { run }, query: { format } }) =>
      performCommand(context, ["report", ...option("format", format), ...operands(runWord(run))]),
  }),
  route("listCheckpoints", {
    ...anyRun,
    summary: "What the run can be put back to, oldest first.",
    query: none,
    commands: ["checkpoints"],
    handle: (context, { params: { run } }) =>
      performCommand(context, ["checkpoints", ...operands(runWord(run))]),
  }),
  route("diffCheckpoints", {
    ...anyRun,
    summary: "Which files differ between two checkpoints.",
    params: runParams.extend({ from: z.string().max(40), to: z.string().max(40) }),
    query: none,
    commands: ["checkpoints"],
    handle: (context, { params: { run, from, to } }) =>
      performCommand(context, [
        "checkpoints",
        ...option("diff", from),
        ...option("diff", to),
        ...operands(runWord(run)),
      ]),
  }),
  route("getChanges", {
    ...anyRun,
    summary: "What the run has changed, from its first checkpoint or the one named.",
    query: z.object({
      since: z.string().max(40).optional(),
      stat: z.enum(["true", "false"]).default("false"),
    }),
    commands: ["changes"],
    handle: (context, { params: { run }, query: { since, stat } }) =>
      performCommand(context, [
        "changes",
        ...(stat === "true" ? ["--stat"] : []),
        ...operands(runWord(run), since),
      ]),
  }),
  route("listProposals", {
    ...anyRun,
    summary: "What agents of the run propose that may not write themselves.",
    query: none,
    commands: ["proposals"],
    handle: (context, { params: { run } }) =>
      performCommand(context, ["proposals", ...operands(runWord(run))]),
  }),
  route("getProposal", {
    ...anyRun,
    summary: "One proposal with its patch.",
    params: z.object({ proposal: z.string().min(1).max(200) }),
    query: none,
    commands: ["proposal show"],
    handle: (context, { params: { proposal } }) =>
      performCommand(context, ["proposal", "show", ...operands(proposal)]),
  }),
  route("verifyRun", {
    ...anyRun,
    summary: "Checks every event of the run against its hash.",
    query: none,
    commands: ["verify"],
    handle: (context, { params: { run } }) => performCommand(context, ["verify", ...operands(runWord(run))]),
  }),
  route("exportRun", {
    ...anyRun,
    summary: "The whole journal of the run as JSON Lines, which `verify` and `report` read.",
    query: none,
    answer: z.string(),
    sends: "lines",
    commands: ["export"],
    handle: (context, { params: { run } }) => sendExport(context, run),
  }),
  route("replayRun", {
    ...anyRun,
    summary: "The state right after an event, folded from the journal.",
    query: z.object({ at: seq.optional() }),
    commands: ["replay"],
    handle: (context, { params: { run }, query: { at } }) =>
      performCommand(context, ["replay", ...option("at", at), ...operands(runWord(run))]),
  }),
  route("diffRuns", {
    ...anyRun,
    summary: "Where two runs part.",
    params: none,
    query: z.object({ a: z.string().min(1).max(200), b: z.string().min(1).max(200) }),
    commands: ["diff"],
    handle: (context, { query: { a, b } }) => performCommand(context, ["diff", ...operands(a, b)]),
  }),
] satisfies readonly AnyRoute[];
