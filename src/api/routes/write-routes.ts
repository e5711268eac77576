import { createHash } from "node:crypto";
import { z } from "zod";
import * as answers from "./answers.ts";
import { askMany, requireDigest } from "./ask-many.ts";
import { route, type AnyRoute } from "./define-route.ts";
import { flag, operands, option, performCommand, runWord } from "./perform-command.ts";
import { requestBodySchema, requestWords } from "./request-body.ts";

const { none, runParams } = answers;
const text = z.string().min(1).max(16_384);
const TRACE_BYTES_MAX = 32 * 1024 * 1024;
const empty = z.strictObject({});
const write = { role: "operator", params: none, query: none, answer: answers.anyDocument } as const;

const newRunSchema = z.strictObject({
  goal: text.optional(),
  flow: text.optional().describe("A flow's file, or its name in .holdfast/flows of the repository."),
  agent: text.optional(),
  plan: text.optional(),
  checks: z.array(text).max(50).optional(),
  reviewer: text.optional(),
  budgetUsd: z.number().positive().optional(),
  timeout: z.string().max(40).optional(),
  approve: z.string().max(200).optional().describe("plan, completion or both."),
  inPlace: z.boolean().optional(),
  worktree: z.boolean().optional(),
  budgetBy: z.array(z.string().max(100)).max(10).optional().describe("Such as time=2h or turns=40."),
  resume: z.boolean().optional().describe("false: a person is asked when a provider's limit is over."),
  id: z.string().max(120).optional(),
  repository: z
    .string()
    .max(4_096)
    .optional()
    .describe("The folder to work in; that of the server if left out."),
});

type NewRun = z.infer<typeof newRunSchema>;

const runWords = (run: NewRun, id: string | undefined): string[] => [
  ...[
    "run",
    "--detach",
    ...option("flow", run.flow),
    ...option("agent", run.agent),
    ...option("plan", run.plan),
  ],
  ...(run.checks ?? []).flatMap((check) => option("check", check)),
  ...[
    ...option("reviewer", run.reviewer),
    ...option("budget", run.budgetUsd),
    ...option("timeout", run.timeout),
  ],
  ...(run.budgetBy ?? []).flatMap((amount) => option("budget-by", amount)),
  ...[...option("approve", run.approve), ...flag("in-place", run.inPlace), ...flag("worktree", run.worktree)],
  ...[...flag("no-resume", run.resume === false), ...option("id", id)],
  ...operands(run.goal),
];

/** The same key names the same run: asked again, it finds what the first time has made. */
const idOf = ({ id }: NewRun, key: string | null): string | undefined =>
  id ?? (key === null ? undefined : `run-${createHash("sha256").update(key).digest("hex").slice(0, 20)}`);

export const writeRoutes = [
  route("createRun", {
    ...write,
    summary: "Starts a run, which the supervisor runs in the background.",
    body: newRunSchema,
    commands: ["run"],
    handle: (context, { body }) =>
      performCommand(context, runWords(body, idOf(body, context.once.key)), { cwd: body.repository }),
  }),
  route("ask", {
    ...write,
    summary:
      "Sends a request to a run: pause, resume, approve, tell, and every other one of the command line.",
    params: runParams,
    body: requestBodySchema,
    asksRuns: true,
    answer: answers.requestAnswer,
    commands: [
      ...["pause", "resume", "cancel", "reopen", "retry", "approve", "reject", "unblock", "escalate", "tell"],
      ...["alarm", "signal", "settle", "set", "checkpoint", "restore", "handoff", "reissue", "reconcile"],
      ...["accept", "commit", "proposal apply", "proposal reject"],
    ],
    handle: async (context, { params: { run }, body }) => {
      const meant = await requireDigest(context, run, body);
      const proof = body.kind === "approve" ? body.proof : undefined;
      return performCommand(context, requestWords(meant, body), {
        asks: meant,
        ...(proof === undefined ? {} : { proof }),
      });
    },
  }),
  route("askMany", {
    ...write,
    summary: "Asks the same of several runs; each is answered for itself.",
    asksRuns: true,
    body: z.strictObject({
      runs: z.array(z.string().min(1).max(200)).min(1).max(200),
      request: requestBodySchema,
    }),
    answer: answers.bulkAnswer,
    handle: (context, { body: { runs, request } }) => askMany(context, runs, request),
  }),
  route("forkRun", {
    ...write,
    summary: "Begins a run of a program from the first events of another one.",
    params: runParams,
    body: z.strictObject({ at: z.number().int().positive(), as: z.string().max(120).optional() }),
    commands: ["fork"],
    handle: (context, { params: { run }, body: { at, as } }) =>
      performCommand(context, ["fork", ...option("at", at), ...option("as", as), ...operands(runWord(run))]),
  }),
  route("salvageRun", {
    ...write,
    summary: "Lets a run whose journal is damaged go on as another one, from before the damage.",
    params: runParams,
    body: empty,
    commands: ["salvage"],
    handle: (context, { params: { run } }) => performCommand(context, ["salvage", ...operands(runWord(run))]),
  }),
  route("assess", {
    ...write,
    role: "viewer",
    summary: "Rules on the health of a recorded trace; nothing is stored.",
    body: z.strictObject({ events: z.array(z.looseObject({})).min(1), now: z.string().max(40).optional() }),
    bodyBytesMax: TRACE_BYTES_MAX,
    commands: ["assess"],
    handle: (context, { body: { events, now } }) =>
      performCommand(context, ["assess", ...option("now", now), "-"], {
        input: events.map((event) => JSON.stringify(event)).join("\n"),
      }),
  }),
  route("importRun", {
    ...write,
    role: "viewer",
    summary: "Reads an exported run, checks its hashes and shows it; nothing is stored.",
    body: z.strictObject({
      lines: z.string().min(1),
      show: z.enum(["replay", "why", "report", "verify"]).default("replay"),
    }),
    bodyBytesMax: TRACE_BYTES_MAX,
    commands: ["replay", "why", "report", "verify"],
    handle: (context, { body: { lines, show } }) => performCommand(context, [show, "-"], { input: lines }),
  }),
  route("unpause", {
    ...write,
    summary: "Ends the pause of an account or a host that runs share.",
    body: z.strictObject({ resource: z.string().max(300).optional() }),
    commands: ["unpause"],
    handle: (context, { body: { resource } }) => performCommand(context, ["unpause", ...operands(resource)]),
  }),
  route("drainHost", {
    ...write,
    summary: "Lets a host take no new runs, or again; without one, the host of the server.",
    body: z.strictObject({
      host: z.string().max(300).optional().describe("Its name or id."),
      undo: z.boolean().optional(),
    }),
    commands: ["drain"],
    handle: (context, { body: { host, undo } }) =>
      performCommand(context, ["drain", ...flag("undo", undo), ...operands(host)]),
  }),
  route("setForAll", {
    ...write,
    role: "admin",
    summary: "Sets what all runs together may spend in one day.",
    body: z.strictObject({
      settings: z.record(z.string().max(100), z.union([z.string().max(100), z.number()])),
    }),
    commands: ["set"],
    handle: (context, { body: { settings } }) =>
      performCommand(context, [
        ...["set", "--all"],
        ...operands(...Object.entries(settings).map(([key, value]) => `${key}=${String(value)}`)),
      ]),
  }),
  route("stopStore", {
    ...write,
    summary: "The emergency brake: suspends every session of every run.",
    body: empty,
    commands: ["stop"],
    handle: (context) => performCommand(context, ["stop", "--all"]),
  }),
  route("startStore", {
    ...write,
    summary: "Ends the emergency brake.",
    body: empty,
    commands: ["start"],
    handle: (context) => performCommand(context, ["start"]),
  }),
  route("startSupervisor", {
    ...write,
    role: "admin",
    summary: "Sees to it that a supervisor of this host lives.",
    body: empty,
    commands: ["up"],
    handle: (context) => performCommand(context, ["up", "--detach", "--no-http"]),
  }),
  route("endSupervisor", {
    ...write,
    role: "admin",
    summary: "Asks the supervisor of this host to release all runs and end.",
    body: z.strictObject({ stopAgents: z.boolean().optional() }),
    commands: ["down"],
    handle: (context, { body: { stopAgents } }) =>
      performCommand(context, ["down", ...flag("stop-agents", stopAgents)]),
  }),
] satisfies readonly AnyRoute[];
