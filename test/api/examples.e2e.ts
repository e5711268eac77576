import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { EXAMPLES } from "../../src/api/openapi/examples.ts";
import { API_PREFIX, ROUTE_PATHS } from "../../src/api/routes/route-paths.ts";
import { ROUTES } from "../../src/api/routes/route-table.ts";
import type { AnyRoute } from "../../src/api/routes/define-route.ts";
import { noTmux } from "../agents/contract/tmux-subject.ts";
import { ApiBench } from "./api-bench.ts";
import { exampleOf } from "./tidy-example.ts";
import { WRITE_CASES } from "./writes/write-cases.ts";
import { MISSION, prepareStore, SESSION } from "./writes/written-store.ts";
import { takesTurns } from "../turns.ts";

const { after, before, test } = takesTurns(5);

/**
 * Every route is asked of a real server for something that it can do, and answered as its schema says. The examples of
 * the contract are these requests and answers (UPDATE_SNAPSHOTS=1 records them).
 */
const FILE = path.resolve(import.meta.dirname, "../../src/api/openapi/examples.json");
const actor = path.resolve(import.meta.dirname, "../agents/tmux/terminal-actor.mjs");
const routes: readonly AnyRoute[] = ROUTES;
const claim = { do: "claim", ok: true, text: "done" };
const script = (acts: readonly unknown[]): string => JSON.stringify({ attempts: [acts] });

const bench = new ApiBench({
  "adviser.json": script([{ do: "write", file: "one", content: "better\n" }, claim]),
  "worker.json": script([
    { do: "usage", usd: 0.25, tokensIn: 4_100, tokensOut: 200 },
    { do: "tool", name: "read", args: "one", result: "plain" },
    { do: "write", file: "two", content: "2\n" },
    claim,
  ]),
  "proposed.yaml":
    "name: proposed\nroles:\n  adviser: { agent: adviser, authority: proposes }\nsteps:\n  - { name: build, task: build it, agent: worker }\n  - { name: advise, task: mend one, role: adviser, needs: [build] }\n",
  "holdfast.yaml": `supervisor: { idleExitMs: 300, scanMs: 100 }
startup: { termGraceMs: 300 }
workspace: { isolation: none }
agents:
  adviser: { use: demo, script: adviser.json }
  worker: { use: demo, script: worker.json }
  terminal: { use: tmux, command: ${JSON.stringify([process.execPath, actor, "hangs"])}, prompt: "^> $" }
`,
});
const RUN = "mail-1";
const IN_TERMINAL = "shell-1";
const OF_TERMINAL: ReadonlySet<string> = new Set(["getScreen", "openTerminal"]);
/** Refused where the store is a file; test/cli/fleet has the answer of the example. */
const OF_SEVERAL_HOSTS: ReadonlySet<string> = new Set(["drainHost"]);
let store = "";
let checkpoints: readonly string[] = [];
let lines = "";

before(async () => {
  const git = (...args: string[]): unknown =>
    execFileSync("git", ["-C", bench.cli.cwd, "-c", "user.name=a", "-c", "user.email=a@b.invalid", ...args]);
  git("init", "-q", "-b", "work");
  bench.cli.write("one", "plain\n");
  git("add", "one");
  git("commit", "-qm", "begin");
  store = await prepareStore(bench.cli.home, bench.cli.cwd);
  const { code, stderr } = await bench.cli.call(["run", "--flow", "proposed.yaml", "--id", RUN]);
  assert.equal(code, 3, stderr);
  if (noTmux === false) {
    const begun = await bench.cli.call([
      "run",
      "look",
      "--agent",
      "terminal",
      "--id",
      IN_TERMINAL,
      "--worktree",
      "--detach",
    ]);
    assert.equal(begun.code, 0, begun.stderr);
    await bench.cli.receives(IN_TERMINAL, "> look");
  }
  await bench.serve();
  const listed = await bench.client.listCheckpoints({ params: { run: RUN } });
  checkpoints = (listed as { checkpoints: { id: string }[] }).checkpoints.map(({ id }) => id);
  lines = await bench.client.exportRun({ params: { run: RUN } });
});
after(async () => {
  if (noTmux === false) await bench.cli.call(["cancel", IN_TERMINAL]);
  await bench.close();
});

interface Order {
  readonly params: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
}

const QUERIES: Readonly<Record<string, string>> = {
  diffRuns: `?a=${RUN}&b=rest`,
  waitRun: "?timeout=100ms",
  listEvents: "?limit=2",
  getLogs: "?lines=3",
  stream: `?run=${RUN}&from=start`,
  getTimeline: "?limit=200",
};

/** What each route is asked for; of writes what the tests of kills ask for as well. */
function orderOf({ name, isWrite }: AnyRoute): Order {
  const found = WRITE_CASES[name];
  const run = OF_TERMINAL.has(name) ? IN_TERMINAL : RUN;
  const [from = "", to = ""] = [checkpoints[0], checkpoints.at(-1)];
  const params = {
    run,
    from,
    to,
    proposal: `${RUN}.p1`,
    session: SESSION,
    mission: MISSION,
    ...found?.params,
  };
  if (name === "importRun") return { params, body: { lines } };
  if (found !== undefined) return { params, body: found.body("example") };
  return { params, ...(isWrite ? { body: {} } : { query: QUERIES[name] ?? "" }) };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The stream has no end: its first messages are enough. */
async function firstOf(response: Response): Promise<string> {
  let text = "";
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString("utf8");
    if (text.split("\n\n").length > 3) break;
  }
  return text.split("\n\n").slice(0, 2).join("\n\n");
}

async function ask(route: AnyRoute, { params, query = "", body }: Order): Promise<Answer> {
  const [method, target] = ROUTE_PATHS[route.name];
  const where = target.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "");
  const response = await fetch(`${bench.ready.url}${API_PREFIX}${where}${query}`, {
    method,
    headers: { authorization: `Bearer ${bench.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = route.sends === "stream" ? await firstOf(response) : await response.text();
  return { status: response.status, text };
}

const keysOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? Object.keys(value).sort().join(", ") : typeof value;

test(
  "O8 every route answers something as its schema says, and the example of the contract is such an answer",
  { timeout: 300_000 },
  async (t) => {
    const recorded: Record<string, { request?: unknown; answer: unknown }> = {};
    const problems: string[] = [];
    let asked = 0;
    // While its agent is at work: the emergency brake is among the others.
    const first = routes.filter(({ name }) => OF_TERMINAL.has(name));
    for (const route of [...first, ...routes.filter((one) => !first.includes(one))]) {
      const { name } = route;
      if (noTmux !== false && OF_TERMINAL.has(name)) {
        t.diagnostic(`${name} was not asked: ${noTmux}`);
        continue;
      }
      await WRITE_CASES[name]?.before?.(bench, store);
      const order = orderOf(route);
      const { status, text } = await ask(route, order);
      asked += 1;
      if (OF_SEVERAL_HOSTS.has(name)) {
        if (status !== 409) problems.push(`${name}: ${String(status)} ${text}`);
        recorded[name] = { request: order.body, answer: EXAMPLES[name]?.answer };
        continue;
      }
      if (status !== 200) {
        problems.push(`${name}: ${String(status)} ${text}`);
        continue;
      }
      const answer: unknown = route.sends === "json" ? JSON.parse(text) : text;
      const read = route.answer.safeParse(answer);
      if (!read.success) problems.push(`${name}: ${read.error.message}`);
      const tidy = exampleOf(answer, bench);
      recorded[name] = {
        ...(order.body === undefined ? {} : { request: exampleOf(order.body, bench) }),
        answer: tidy,
      };
      const example = EXAMPLES[name];
      if (keysOf(example?.answer) !== keysOf(tidy))
        problems.push(`${name}: the example has ${keysOf(example?.answer)}; answered was ${keysOf(tidy)}`);
    }
    const inOrder = routes.flatMap(({ name }) =>
      recorded[name] === undefined ? [] : [[name, recorded[name]]],
    );
    if (process.env["UPDATE_SNAPSHOTS"] === "1")
      writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(inOrder), null, 1)}\n`);
    else assert.deepEqual(problems, [], "UPDATE_SNAPSHOTS=1 records the examples again");
    t.diagnostic(`${String(asked)} of ${String(routes.length)} routes were asked`);
  },
);
