import type { StartOrder } from "../../../src/agents/agent-driver.ts";
import type { RunOrder } from "../../../src/runtime/create-run.ts";
import { stepSchema, type Flow, type Step } from "../../../src/model/flow/flow.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import type { Act } from "./story-agents.ts";
import {
  asks,
  begins,
  crashes,
  ends,
  givesUp,
  goesRound,
  isLimited,
  says,
  spends,
  uses,
  works,
  writes,
} from "./story-acts.ts";

const time = (clock: string): number => Date.parse(`2026-11-17T${clock}:00.000Z`);
export const STORY_BEGINS = time("08:00");
/** What the pictures show is this moment. */
export const STORY_NOW = time("14:40");
/** Here the first supervisor is killed, and another one starts. */
export const STORY_KILL = time("11:52");

export interface Story {
  readonly id: string;
  readonly from: number;
  readonly goal: string;
  readonly flow: Flow;
  readonly budget?: RunOrder["budget"];
  readonly account?: string;
  readonly acts: (order: StartOrder) => readonly Act[];
}

type Parts = Partial<Step> & { readonly name: string };
const step = (parts: Parts) => stepSchema.parse({ task: `${parts.name} it`, agent: "main", ...parts });
const flow = (...steps: readonly Parts[]): Flow => ({ name: "feature", steps: steps.map(step), phases: [] });
const tested = { checks: [{ run: "npm test" }] };

const MIDDLEWARE = (body: string): string => `export function session(request) {\n${body}}\n`;

const SHOWPIECE: Readonly<Record<string, readonly Act[]>> = {
  "plan.1": [
    begins,
    says("I read how sessions are made and refreshed."),
    ...works(9, "auth"),
    ...writes("docs/sessions.md", "# Sessions\n\nA session ends 30 minutes after its last request.\n"),
    ends("The plan stands in docs/sessions.md"),
  ],
  "build.1": [
    begins,
    ...works(5, "session", 20),
    ...writes("src/session.js", MIDDLEWARE("  return request.cookies.sid;\n")),
    crashes("FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"),
  ],
  "build.2": [
    begins,
    says("I continue from the checkpoint; session.js is written."),
    ...works(7, "refresh", 34),
    ...goesRound(40),
  ],
  "build.3": [
    begins,
    says("The same test failed four times: I look at how the token is rotated instead."),
    ...works(6, "rotation", 12),
    ...writes(
      "src/session.js",
      MIDDLEWARE("  const sid = request.cookies.sid;\n  return sid && rotate(sid);\n"),
    ),
    ...works(6, "rotation tests", 40),
    isLimited(time("14:20")),
  ],
  "build.4": [
    begins,
    says("The limit is over. Two tests are left."),
    ...works(5, "last tests", 48),
    ...writes("test/session.test.js", 'test("a token is rotated once", () => {});\n'),
    ...works(40, "expiry", 60),
  ],
};

/** Runs of one day. */
export const STORIES: readonly Story[] = [
  {
    id: "session-rotation",
    from: time("11:20"),
    goal: "Rotate session tokens on refresh and reject reused ones",
    flow: flow(
      { name: "plan" },
      { name: "build", needs: ["plan"], ...tested, attemptsMax: 8 },
      { name: "docs", needs: ["build"] },
      { name: "verify", needs: ["build"], ...tested },
    ),
    budget: { usd: 20 },
    account: "team-a",
    acts: ({ step: name, number }) => SHOWPIECE[`${name}.${String(number)}`] ?? [begins, ...works(30, name)],
  },
  {
    id: "release-4.2",
    from: time("13:50"),
    goal: "Release 4.2 to production",
    flow: {
      name: "release",
      steps: [
        step({ name: "changelog", phase: "prepare" }),
        step({ name: "build", needs: ["changelog"], phase: "prepare", ...tested }),
        step({ name: "deploy", needs: ["build"], phase: "deploy" }),
      ],
      phases: [
        {
          name: "prepare",
          gate: {
            name: "release",
            kind: "approval",
            expiry: { afterMs: 7_200_000, then: "escalate" },
          },
        },
        { name: "deploy" },
      ],
    },
    acts: ({ step: name }) => [
      begins,
      ...works(name === "build" ? 24 : 18, name),
      ...writes(
        name === "build" ? "package.json" : "CHANGELOG.md",
        name === "build"
          ? '{ "version": "4.2.0" }\n'
          : "# 4.2.0\n\n- Sessions rotate their tokens\n- Exports are 3 times faster\n",
      ),
      ends(`${name} is ready`),
    ],
  },
  {
    id: "migrate-orders",
    from: time("14:02"),
    goal: "Move the orders table to the new schema",
    flow: flow({ name: "migrate" }),
    acts: ({ number }) =>
      number > 1
        ? [begins, ...works(30, "orders")]
        : [
            begins,
            ...works(16, "orders"),
            asks(
              "needs_human",
              "The replica is 40 minutes behind. Migrate on the primary now, or wait for the replica?",
            ),
          ],
  },
  {
    id: "flaky-checkout",
    from: time("13:40"),
    goal: "Find out why the checkout test fails now and then",
    flow: flow({ name: "find", attemptsMax: 3 }),
    acts: () => [
      begins,
      ...works(2, "checkout"),
      crashes("Error: listen EADDRINUSE: address already in use 127.0.0.1:9229"),
    ],
  },
  {
    id: "docs-search",
    from: time("13:10"),
    goal: "Index the documentation for search",
    flow: flow({ name: "index" }),
    account: "team-b",
    acts: ({ number }) =>
      number === 1 ? [begins, ...works(40, "pages"), isLimited(time("19:00"))] : [begins],
  },
  {
    id: "api-types",
    from: time("13:58"),
    goal: "Generate the types of the public API from its schema",
    flow: flow(
      { name: "plan" },
      { name: "generate", needs: ["plan"] },
      { name: "check", needs: ["generate"], ...tested },
    ),
    acts: ({ step: name }) =>
      name === "plan" ? [begins, ...works(12, "schema"), ends("planned")] : [begins, ...works(60, "types")],
  },
  {
    id: "cache-headers",
    from: time("14:21"),
    goal: "Send cache headers for static files",
    flow: flow({ name: "work", ...tested }),
    acts: () => [begins, ...works(60, "headers")],
  },
  {
    id: "old-browsers",
    from: time("14:05"),
    goal: "Drop the fallbacks for browsers that nobody uses",
    flow: flow({ name: "work" }),
    acts: () => [
      begins,
      ...works(4, "fallbacks"),
      ...goesRound(3),
      ...works(1, "fallbacks"),
      ...uses("bash", "sleep 3600", ""),
    ],
  },
  ...(["invoice-totals", "email-templates", "retry-webhooks", "csv-import"] as const).map(
    (id, at): Story => ({
      id,
      from: time("08:10") + at * 47 * 60_000,
      goal: `${["Round invoice totals once", "Move mail templates to MJML", "Retry webhooks with back-off", "Import CSV files in parts"][at] ?? ""}`,
      flow: flow({ name: "work", ...(id === "csv-import" ? {} : tested) }),
      acts: () => [
        begins,
        ...works(14 + at * 9, "work"),
        ...writes(`src/${id}.js`, `// ${id}\n`),
        ends("done and tested"),
      ],
    }),
  ),
  {
    id: "perf-report",
    from: time("09:30"),
    goal: "Say why the report page is slow",
    flow: flow({ name: "measure", attemptsMax: 1 }),
    acts: () => [
      begins,
      ...works(12, "report"),
      spends(0.3, 9_000, 40),
      givesUp("the page cannot be measured here: no data set"),
    ],
  },
];

export const runOrderOf = (
  { id, goal, flow: parts, budget = {}, account = "work" }: Story,
  cwd: string,
): RunOrder => ({
  id,
  goal,
  flow: parts,
  agents: { main: { use: "claude", model: "opus", account } },
  settings: runSettingsSchema.parse({
    attempts: { limitMs: 12 * 3_600_000 },
    checkpoints: { when: "always", everyMs: 600_000 },
    workspace: { isolation: "run" },
    backoff: { baseMs: 20_000 },
    notify: {
      channels: {
        chat: { use: "command", command: ["notify-team"] },
        pager: { use: "command", command: ["page-oncall"] },
      },
    },
  }),
  budget,
  cwd,
  repository: cwd,
  by: "ada",
});
