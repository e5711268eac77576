import { ApiProblem } from "../../../src/api/client/api-problem.ts";
import type { AnyRoute, HandlerAnswer } from "../../../src/api/routes/define-route.ts";
import { eventPage, eventsQuery } from "../../../src/api/routes/event-page.ts";
import type { HandlerContext } from "../../../src/api/routes/handler-context.ts";
import { runPages } from "../../../src/api/routes/pages/run-pages.ts";
import { viewRoutes } from "../../../src/api/routes/view-routes.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import { isFault } from "../../../src/model/fault.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { reportOf } from "../../../src/views/report/report.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { whyView } from "../../../src/views/why/why.ts";
import { en } from "../text/en.ts";
import type { CallName, Source } from "./source.ts";

/** What `holdfast view` writes into the file. Its events were checked against their hashes when it did. */
export interface ExportedFile {
  readonly run: string;
  readonly head: { readonly seq: number; readonly hash: string };
  readonly exportedAt: string;
  readonly events: readonly Recorded[];
}

interface Given {
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, string>>;
}

type Answers = Readonly<Record<string, (given: Given) => unknown>>;

/** Routes that need nothing of a run but its events and its state: their own handlers answer here too. */
const ROUTES: readonly AnyRoute[] = [...viewRoutes, ...runPages];
const OWN = new Set<string>([
  "getTimeline",
  "getSeries",
  "listAttempts",
  "getTranscript",
  "listSteps",
  "getHealth",
  "listRemedies",
  "listOwners",
]);

/** The pages of one exported run, computed here from its events by the projections that a server uses. */
export function fileSource(file: ExportedFile): Source {
  const { run, events, head, exportedAt } = file;
  const stateAt = (seq: number): RunState | null => foldTo(events, seq);
  const last = stateAt(head.seq);
  const context = contextOf(file, last);
  const answers: Answers = {
    getRun: () => ({
      ...(last === null ? {} : statusView(last, null)),
      ...{ store: null, paused: [], supervision: null, owner: null },
    }),
    getWhy: ({ query }) => whyView(upTo(events, query["at"]), null),
    getReport: () => reportOf(events, null),
    verifyRun: () => ({ ok: true, run, events: head.seq, head, exportedAt, damages: [] }),
    listEvents: async ({ query }) =>
      documentOf(await eventPage(context, run, eventsQuery.parse(texts(query)))),
    whoAmI: () => ({ name: "", role: "viewer", how: "token", by: "", via: "" }),
  };
  const answer = async (name: CallName, given: Given): Promise<unknown> => {
    const route = OWN.has(name) ? ROUTES.find((one) => one.name === name) : undefined;
    if (route === undefined) {
      const own = answers[name];
      if (own === undefined) throw notInFile();
      return own(given);
    }
    const query = route.query.parse(texts(given.query));
    return documentOf(await route.handle(context, { params: { run }, query, body: undefined } as never));
  };
  return {
    ...{ kind: "file", run },
    async call(name, input) {
      const { query = {}, params = {} } = input as Partial<Given>;
      try {
        return (await answer(name, { query, params })) as never;
      } catch (error) {
        if (!isFault(error)) throw error;
        throw new ApiProblem(409, { code: error.code, detail: error.message });
      }
    },
    follow: () => ({ watch: () => undefined, end: () => undefined }),
  };
}

const notInFile = (): ApiProblem => new ApiProblem(404, { code: "not_in_file", detail: en.file.notInFile });

function documentOf(answer: HandlerAnswer): unknown {
  if (answer.kind !== "document") throw notInFile();
  return answer.document;
}

/** As they would stand in an address: routes read texts. */
const texts = (query: Given["query"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, String(value as string | number | boolean)]),
  );

const upTo = (events: readonly Recorded[], at: unknown): readonly Recorded[] =>
  at === undefined ? events : events.filter(({ seq }) => seq <= Number(at));

function foldTo(events: readonly Recorded[], seq: number): RunState | null {
  let state: RunState | null = null;
  for (const event of events) {
    if (event.seq > seq) break;
    state = evolve(state, event, event);
  }
  return state;
}

/** As much of a server as those handlers touch. */
function contextOf({ run, head, events }: ExportedFile, last: RunState | null): HandlerContext {
  const journal = {
    head: () => Promise.resolve(head),
    read: (_: string, { after, limit }: { readonly after: number; readonly limit: number }) =>
      Promise.resolve(events.slice(after, after + limit)),
  };
  const operations = {
    journal,
    findRun: () => Promise.resolve(run),
    loadRun: () => Promise.resolve(last),
  };
  return { operations, now: () => last?.at ?? 0 } as unknown as HandlerContext;
}
