import { z } from "zod";
import { Fault, invariant } from "../../model/fault.ts";
import { suffices } from "../guard/roles.ts";
import { findTerminal } from "../terminal/find-terminal.ts";
import { TERMINAL_PATH, TERMINAL_PROTOCOL, TICKET_PREFIX } from "../terminal/messages.ts";
import * as answers from "./answers.ts";
import { route, type AnyRoute } from "./define-route.ts";

export const terminalRoutes = [
  route("openTerminal", {
    summary:
      "A ticket for one WebSocket that shows the terminal of an attempt at work. Who is operator may take it over there and type.",
    role: "viewer",
    kept: "memory",
    params: answers.runParams,
    query: answers.none,
    body: z.strictObject({
      attempt: z
        .string()
        .min(1)
        .max(300)
        .optional()
        .describe("The attempt or its step; left out, the one at work."),
    }),
    answer: z.object({
      attempt: z.string(),
      agent: z.string(),
      path: z.string().describe("Where the WebSocket is opened."),
      protocols: z
        .array(z.string())
        .describe("What it is opened with; the ticket is good once, for 30 seconds."),
      mayType: z.boolean(),
    }),
    commands: ["attach"],
    handle: async ({ operations, identity, tickets }, { params, body }) => {
      invariant(identity !== null, "the route is not for anybody");
      const run = await operations.findRun(params.run);
      const state = await operations.loadRun(run);
      if (state === null) throw new Fault("not_found", `there is no run "${run}" in this store`);
      const { attempt } = findTerminal(state, body.attempt);
      const ticket = tickets.make({ identity, run, attempt: attempt.id });
      const document = {
        attempt: attempt.id,
        agent: attempt.agent,
        path: TERMINAL_PATH,
        protocols: [TERMINAL_PROTOCOL, `${TICKET_PREFIX}${ticket}`],
        mayType: suffices(identity.role, "operator"),
      };
      return { kind: "document", document };
    },
  }),
] satisfies readonly AnyRoute[];
