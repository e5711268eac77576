import { z } from "zod";
import { ROLES } from "../guard/roles.ts";
import { serveStream } from "../stream/serve-stream.ts";
import * as answers from "./answers.ts";
import { route, type AnyRoute } from "./define-route.ts";
import { flag, operands, option, performCommand } from "./perform-command.ts";
import { createToken, listTokens, newLogin, revokeToken, whoAmI } from "./token-handlers.ts";

const { none } = answers;
const read = { role: "viewer", params: none, query: none, answer: answers.anyDocument } as const;
const admin = { role: "admin", params: none, query: none } as const;

export const storeRoutes = [
  route("health", {
    summary: "That the server lives; nothing else.",
    role: null,
    params: none,
    query: none,
    answer: answers.healthAnswer,
    handle: async () => ({ kind: "document", document: { alive: true } }),
  }),
  route("getOpenApi", {
    ...read,
    summary: "This contract as an OpenAPI 3.1 document.",
    handle: async ({ openApi }) => ({ kind: "document", document: openApi() }),
  }),
  route("stream", {
    ...read,
    summary:
      "What is appended to the journals of all runs, as server-sent events; Last-Event-ID goes on without a gap.",
    query: z.object({
      run: z
        .string()
        .max(20_000)
        .optional()
        .describe(
          "Only of these runs, with commas between them; continuous:NAME is a continuous session, mission:NAME a mission.",
        ),
      also: z
        .string()
        .max(200)
        .optional()
        .describe(
          "continuous, mission, or both with a comma: what is appended to the journals of these, too.",
        ),
      type: z.string().max(2_000).optional().describe("Only events of these types."),
      since: z.coerce
        .number()
        .int()
        .min(0)
        .optional()
        .describe("Of the one run named: from behind this event."),
      after: z
        .string()
        .max(131_072)
        .optional()
        .describe("The cursor to go on behind, for who cannot set Last-Event-ID."),
      from: z.enum(["now", "start"]).default("now"),
    }),
    sends: "stream",
    answer: z.string(),
    commands: ["events", "watch"],
    handle: (context, { query }) => serveStream(context, query),
  }),
  route("listInbox", {
    ...read,
    summary: "What waits for a person, oldest first, each with the command that settles it.",
    answer: answers.inboxAnswer,
    commands: ["inbox"],
    handle: (context) => performCommand(context, ["inbox"]),
  }),
  route("getWatch", {
    ...read,
    summary:
      "All runs as `watch` shows them once: what needs somebody, works, waits and until when, is done.",
    answer: z.object({ entries: z.array(z.looseObject({ run: z.string().nullable(), group: z.string() })) }),
    commands: ["watch"],
    handle: (context) =>
      performCommand(context, ["watch", "--once"], { document: ({ documents }) => ({ entries: documents }) }),
  }),
  route("listAlarms", {
    ...read,
    summary: "Alarms that are still to ring, soonest first.",
    query: z.object({ run: z.string().max(200).optional() }),
    answer: z.looseObject({ alarms: z.array(z.unknown()) }),
    commands: ["alarms"],
    handle: (context, { query: { run } }) => performCommand(context, ["alarms", ...operands(run)]),
  }),
  route("listAgents", {
    ...read,
    summary: "Which agents can be used here.",
    commands: ["agents"],
    handle: (context) => performCommand(context, ["agents"]),
  }),
  route("listFleet", {
    ...read,
    summary: "The hosts that share the store, with what each says of itself.",
    answer: z.looseObject({ hosts: z.array(z.looseObject({ id: z.string(), name: z.string() })) }),
    commands: ["hosts"],
    handle: (context) => performCommand(context, ["hosts"]),
  }),
  route("getDoctor", {
    ...read,
    summary: "What of this machine and this store needs attention.",
    commands: ["doctor"],
    handle: (context) => performCommand(context, ["doctor"]),
  }),
  route("getConfig", {
    ...read,
    summary: "The configuration, and where each setting comes from.",
    query: z.object({ origin: z.enum(["true", "false"]).default("true") }),
    commands: ["config show"],
    handle: (context, { query: { origin } }) =>
      performCommand(context, ["config", "show", ...flag("origin", origin === "true")]),
  }),
  route("listGarbage", {
    ...read,
    summary: "What ended runs have left and `gc` would remove; nothing is removed.",
    query: z.object({ olderThan: z.string().max(20).optional() }),
    commands: ["gc"],
    handle: (context, { query: { olderThan } }) =>
      performCommand(context, ["gc", "--dry-run", ...option("older-than", olderThan)]),
  }),
  route("verifyStore", {
    ...read,
    role: "operator",
    summary: "Checks every event of every run against its hash.",
    commands: ["verify"],
    handle: (context) => performCommand(context, ["verify"]),
  }),
  route("whoAmI", {
    ...read,
    summary: "As whom the server sees the one who asks.",
    answer: z.object({
      name: z.string(),
      role: z.enum(ROLES),
      how: z.enum(["token", "session"]),
      by: z.string(),
      via: z.string(),
      store: z.string().nullable().describe("As commands name it with --store; null: they need not."),
      host: z.string().describe("The machine of the server."),
    }),
    handle: async (context) => whoAmI(context),
  }),
  route("createLogin", {
    ...read,
    summary: "A login URL for a browser: good once, for one minute, with the role of the token that asks.",
    body: z.strictObject({}),
    kept: "memory",
    answer: z.object({ url: z.string(), loginUrl: z.string() }),
    commands: ["dashboard"],
    handle: async (context) => newLogin(context),
  }),
  route("endSession", {
    ...read,
    summary: "Ends the session of this browser.",
    body: z.strictObject({}),
    kept: "memory",
    handle: async ({ sessions, session }) => {
      if (session !== null) sessions.end(session);
      return { kind: "document", document: {} };
    },
  }),
  route("listTokens", {
    ...admin,
    summary: "The named tokens; never their secrets.",
    answer: z.object({ tokens: z.array(answers.tokenRow) }),
    commands: ["token list"],
    handle: async (context) => listTokens(context),
  }),
  route("createToken", {
    ...admin,
    summary: "Makes a named token; its secret is shown this once.",
    body: z.strictObject({
      name: z.string().max(64),
      role: z.enum(ROLES).default("viewer"),
      expiresIn: z.string().max(20).optional(),
    }),
    answer: answers.tokenRow.extend({ token: z.string() }),
    commands: ["token create"],
    handle: async (context, { body }) => createToken(context, body),
  }),
  route("revokeToken", {
    ...admin,
    summary: "Makes a token, and the sessions begun with it, worthless at once.",
    params: z.object({ token: z.string().max(64) }),
    body: z.strictObject({}),
    answer: z.object({ revoked: answers.tokenRow }),
    commands: ["token revoke"],
    handle: async (context, { params: { token } }) => revokeToken(context, token),
  }),
] satisfies readonly AnyRoute[];
