import { z } from "zod";
import { Fault } from "../../../model/fault.ts";
import { isoTime } from "../../../model/text/iso-time.ts";
import type { RunState } from "../../../model/state/run-state.ts";
import { healthHistory } from "../../../views/pages/health-history.ts";
import { ownerHistory } from "../../../views/pages/owner-history.ts";
import { remedyList } from "../../../views/pages/remedy-list.ts";
import { stepsGraph } from "../../../views/pages/steps-graph.ts";
import * as answers from "../answers.ts";
import { route, type AnyRoute } from "../define-route.ts";
import type { HandlerContext } from "../handler-context.ts";
import { journalWindow, windowAnswer, windowQuery } from "../journal-window.ts";

const { none, runParams } = answers;
const windowed = { role: "viewer", params: runParams, query: windowQuery } as const;
const nullable = z.string().nullable();
const place = z.number().nullable();

const graphStep = z.looseObject({
  name: z.string(),
  status: z.string(),
  attempts: z.number(),
  agent: z.string(),
  lastFailure: nullable,
  why: nullable,
  rests: nullable.describe("What its success rests on."),
  needs: z.array(z.string()),
  phase: nullable,
  authority: z.string(),
  live: z.array(z.string()).describe("The attempts at work on it."),
  notBefore: nullable,
  waitsFor: nullable,
  usd: z.number(),
  tokens: z.number(),
});
const healthPoint = z.object({
  at: z.string(),
  seq: z.number(),
  attempt: z.string(),
  state: z.string(),
  pattern: nullable,
  confidence: z.number(),
  evidence: z.array(z.string()),
  waitsFor: nullable,
  until: nullable,
});
const remedy = z.object({
  step: z.string(),
  remedy: z.string(),
  tryNumber: z.number(),
  text: z.string(),
  attempt: nullable,
  pattern: nullable,
  cause: nullable,
  takenAt: nullable.describe("Null: it was taken before the window."),
  takenSeq: place,
  outcome: nullable.describe("Null: its effect is watched, or the result is behind the window."),
  outcomeText: nullable,
  why: nullable,
  endedAt: nullable,
  endedSeq: place,
});
const owner = z.object({
  at: z.string(),
  seq: z.number(),
  owner: z.string(),
  epoch: z.number(),
  from: z.string().describe("nobody, released, gone or silent."),
  host: nullable,
  missing: z.array(z.string()),
  until: nullable,
});
const death = z.object({
  at: z.string(),
  seq: z.number(),
  how: z.string(),
  text: z.string(),
  diedAt: z.string(),
});

async function known({ operations }: HandlerContext, text: string): Promise<RunState> {
  const run = await operations.findRun(text);
  const state = await operations.loadRun(run);
  if (state === null) throw new Fault("not_found", `the run "${run}" is no longer in this store`);
  return state;
}

export const runPages = [
  route("listSteps", {
    role: "viewer",
    params: runParams,
    query: none,
    summary: "The steps of a run as a graph: what each needs, how it stands, who works on it.",
    answer: z.object({
      run: z.string(),
      position: z.number(),
      steps: z.array(graphStep),
      phases: z.array(z.string()),
      count: z.number().describe("How many there are; at most 2,000 are listed."),
    }),
    handle: async (context, { params }) => {
      const state = await known(context, params.run);
      const { steps, ...graph } = stepsGraph(state);
      const timed = steps.map((step) => ({
        ...step,
        notBefore: step.notBefore === null ? null : isoTime(step.notBefore),
      }));
      return { kind: "document", document: { run: state.run, position: state.seq, steps: timed, ...graph } };
    },
  }),
  route("getHealth", {
    ...windowed,
    summary: "What was thought of the health of attempts over a window of the journal, with its evidence.",
    answer: windowAnswer.extend({
      health: z.array(healthPoint),
      now: z.array(z.object({ attempt: z.string(), state: z.string(), pattern: nullable })),
    }),
    handle: async (context, { params, query }) => {
      const { page, events, state } = await journalWindow(context, params.run, query);
      return { kind: "document", document: { ...page, ...healthHistory(events, state) } };
    },
  }),
  route("listRemedies", {
    ...windowed,
    summary:
      "Remedies that were tried on stuck agents in a window of the journal, each with what became of it.",
    answer: windowAnswer.extend({ remedies: z.array(remedy) }),
    handle: async (context, { params, query }) => {
      const { page, events } = await journalWindow(context, params.run, query);
      return { kind: "document", document: { ...page, remedies: remedyList(events) } };
    },
  }),
  route("listOwners", {
    ...windowed,
    summary: "Which processes have owned a run in a window of the journal, and which died in its turns.",
    answer: windowAnswer.extend({ owners: z.array(owner), deaths: z.array(death) }),
    handle: async (context, { params, query }) => {
      const { page, events } = await journalWindow(context, params.run, query);
      return { kind: "document", document: { ...page, ...ownerHistory(events) } };
    },
  }),
  route("getScreen", {
    role: "viewer",
    params: runParams,
    query: z.object({ step: z.string().max(200).optional() }),
    summary: "What the terminal of an agent at work shows now, as text.",
    answer: z.object({
      run: z.string(),
      step: z.string(),
      attempt: z.string(),
      agent: z.string(),
      at: z.string(),
      title: z.string(),
      lines: z.array(z.string()).describe("At most 200, of at most 500 characters."),
      cursor: z
        .object({ x: z.number(), y: z.number() })
        .nullable()
        .describe("Null where the program hides it; y counts from the first of the lines."),
    }),
    handle: async (context, { params, query }) => {
      const state = await known(context, params.run);
      const { id, step, agent, session } = terminalOf(state, query.step);
      const screen = await context.operations.screenOf(session);
      if (screen === null)
        throw new Fault(
          "not_found",
          "the agent's terminal is not there; it has ended, or works on another host",
        );
      const document = { run: state.run, step, attempt: id, agent, at: isoTime(context.now()), ...screen };
      return { kind: "document", document };
    },
  }),
  route("listFileDiffs", {
    role: "viewer",
    params: runParams.extend({ from: z.string().max(40), to: z.string().max(40) }),
    query: z.object({
      path: z.string().max(4_096).optional().describe("Only this file."),
      after: z.string().max(4_096).optional().describe("Only files behind this one: the next page."),
      limit: z.coerce.number().int().min(1).max(100).default(50),
    }),
    summary: "Files that differ between two checkpoints, with their diffs, in pages.",
    answer: z.object({
      run: z.string(),
      from: z.string(),
      to: z.string(),
      count: z.number().describe("How many files differ."),
      files: z.array(
        z.object({
          path: z.string(),
          kind: z.string(),
          binary: z.boolean(),
          bytesBefore: place,
          bytesAfter: place,
          diff: nullable.describe("As `patch -p1` reads it; null for a file that is no text or too large."),
          isCut: z.boolean().describe("Only the beginning of the diff is here."),
        }),
      ),
      next: nullable.describe("The `after` of the next page; null at the end."),
    }),
    handle: async (context, { params: { run: text, from, to }, query: { path, after, limit } }) => {
      const { run } = await known(context, text);
      const found = await context.operations.fileDiffs({
        run,
        from,
        to,
        limit,
        ...(path === undefined ? {} : { path }),
        ...(after === undefined ? {} : { after }),
      });
      return { kind: "document", document: { run, from, to, ...found } };
    },
  }),
] satisfies readonly AnyRoute[];

function terminalOf(state: RunState, step: string | undefined): RunState["attempts"][string] {
  const live = Object.values(state.attempts).filter((one) => step === undefined || one.step === step);
  const inTerminals = live.filter(({ agent }) => state.agents[agent]?.use === "tmux");
  const [attempt, ...others] = inTerminals;
  if (attempt === undefined)
    throw new Fault(
      "refused",
      live.length === 0
        ? `no agent of ${state.run} works just now: the run is ${state.status}`
        : `no agent at work in ${state.run} has a terminal; expected one with use: tmux`,
      { details: { run: state.run, status: state.status, allowedIn: ["running"] } },
    );
  if (others.length > 0)
    throw new Fault(
      "usage",
      `several agents work in terminals; name one by step: ${inTerminals.map((one) => one.step).join(", ")}`,
    );
  return attempt;
}
