import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { requestWords, type RequestBody } from "../../../src/api/routes/request-body.ts";
import { untilTrue } from "../until-true.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import { ApiBench } from "../api-bench.ts";
import {
  DAMAGED_RUN,
  PAUSED_GROUND,
  pauseResource,
  prepareStore,
  PROGRAM_RUN,
  withStore,
} from "../writes/written-store.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(1);

/** What needs real work to be done on: a run is made and led to its end by each way, and their journals are compared. */
const WAYS = ["cli", "http", "client"] as const;
type Way = (typeof WAYS)[number];

const claim = { do: "claim", ok: true, text: "done" };
const script = (...acts: readonly unknown[]): string => JSON.stringify({ attempts: [[...acts, claim]] });
const write = (file: string, content: string) => ({ do: "write", file, content });
const bench = new ApiBench({
  one: "plain\n",
  "worker.json": script(write("two", "2\n")),
  "adviser.json": script(write("one", "better\n")),
  "second.json": script(write("three", "3\n")),
  "flow.yaml": `name: story
roles:
  adviser: { agent: adviser, authority: proposes }
  second: { agent: second, authority: proposes }
steps:
  - { name: build, task: build it, agent: worker }
  - { name: advise, task: mend one, role: adviser, needs: [build] }
  - { name: more, task: add three, role: second, needs: [advise] }
`,
  "holdfast.yaml": `supervisor: { idleExitMs: 300, scanMs: 100 }
startup: { termGraceMs: 300 }
agents:
  worker: { use: demo, script: worker.json }
  adviser: { use: demo, script: adviser.json }
  second: { use: demo, script: second.json }
`,
});
let store = "";
const nameOf = (way: Way): string => `story-${way}`;

const git = (...args: string[]): unknown =>
  execFileSync("git", ["-C", bench.cli.cwd, "-c", "user.name=a", "-c", "user.email=a@b.invalid", ...args]);

before(async () => {
  git("init", "-q", "-b", "work");
  git("add", "-A");
  git("commit", "-qm", "begin");
  git("tag", "begin");
  store = await prepareStore(bench.cli.home, bench.cli.cwd);
  await bench.serve();
});
after(() => bench.close());

const headers = (): Record<string, string> => ({
  authorization: `Bearer ${bench.token}`,
  "content-type": "application/json",
});

async function post(target: string, body: unknown): Promise<void> {
  const sent = { method: "POST", headers: headers(), body: JSON.stringify(body) };
  const response = await fetch(`${bench.ready.url}/api/v1${target}`, sent);
  assert.equal(response.status, 200, await response.text());
}

async function cli(words: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await bench.cli.call(words);
  assert.equal(code, 0, `${words.join(" ")}: ${stdout}${stderr}`);
}

const create: Readonly<Record<Way, () => Promise<unknown>>> = {
  cli: () => cli(["run", "--detach", "--flow", "flow.yaml", "--id", nameOf("cli")]),
  http: () => post("/runs", { flow: "flow.yaml", id: nameOf("http") }),
  client: () => bench.client.createRun({ body: { flow: "flow.yaml", id: nameOf("client") } }),
};

/** The same verb by one of the ways; each has to be done, not refused. */
const ask = (way: Way, body: RequestBody): Promise<unknown> => {
  const run = nameOf(way);
  if (way === "cli") return cli(requestWords(run, body));
  if (way === "http") return post(`/runs/${run}/requests`, body);
  return bench.client.ask({ params: { run }, body });
};

type Verb = (run: string) => RequestBody;

/** What is asked at each place where the run waits for a person. */
const STORY: readonly (readonly Verb[])[] = [
  [
    () => ({ kind: "checkpoint", note: "before the proposal" }),
    () => ({ kind: "tell", text: "be brief" }),
    (run) => ({ kind: "apply_proposal", proposal: `${run}.p1` }),
  ],
  [(run) => ({ kind: "reject_proposal", proposal: `${run}.p2`, note: "not needed", drop: true })],
];
const AT_END: readonly Verb[] = [() => ({ kind: "accept", message: "take it over" })];

const statusOf = async (run: string): Promise<string> =>
  (await bench.client.getRun({ params: { run } })).status;

async function play(way: Way): Promise<void> {
  const run = nameOf(way);
  await create[way]();
  for (const [at, verbs] of STORY.entries()) {
    await untilTrue(async () => {
      const { blocked } = await bench.client.getRun({ params: { run } });
      return blocked?.command.includes(`${run}.p${String(at + 1)}`) === true;
    });
    for (const verb of verbs) await ask(way, verb(run));
  }
  await untilTrue(async () => (await statusOf(run)) === "completed");
}

/** Each is accepted into the project as it was: beside the work of another way it would be another question. */
async function accept(way: Way): Promise<void> {
  for (const verb of AT_END) await ask(way, verb(nameOf(way)));
  git("reset", "-q", "--hard", "begin");
  git("clean", "-qfd");
}

/** Of what a supervisor and its agents do, the order differs from run to run; what was asked and what came of it does not. */
const COMPARED: ReadonlySet<string> = new Set([
  ...["RunCreated", "RequestHeard", "RequestAnswered", "CheckpointRecorded", "MessageQueued", "RunCompleted"],
  ...["ProposalMade", "ProposalApplied", "ProposalRejected", "ProposalDropped", "WorkAccepted"],
]);

function plain(events: readonly Recorded[], run: string): string[] {
  return events
    .filter(({ type }) => COMPARED.has(type))
    .map(({ type, data }) =>
      JSON.stringify({ type, data }, (key, value: unknown) =>
        ["requestId", "via", "commit", "base", "snapshot", "tree", "checkpoint"].includes(key) ||
        (typeof value === "number" && value > 1e12)
          ? undefined
          : value,
      )
        .replaceAll(run, "RUN")
        .replaceAll(/[0-9a-f]{12,64}/g, "HASH")
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time"),
    );
}

test(
  "O8 a run that is made, checkpointed, spoken to, given and denied a proposal and accepted has the same journal by each way",
  { timeout: 300_000 },
  async () => {
    await Promise.all(WAYS.map(play));
    for (const way of WAYS) await accept(way);
    const journals = await Promise.all(
      WAYS.map(async (way) => plain(await bench.cli.eventsOf(nameOf(way)), nameOf(way))),
    );
    const [first = []] = journals;
    assert.ok(first.length >= 12, first.join("\n"));
    for (const other of journals) assert.deepEqual(other, first);
  },
);

test("O8 a run is forked and salvaged, and a pause ended, with the same records by each way", async () => {
  const ways: Readonly<Record<Way, (step: "fork" | "salvage" | "unpause") => Promise<unknown>>> = {
    cli: (step) =>
      step === "fork"
        ? cli(["fork", PROGRAM_RUN, "--at", "2", "--as", "fork-cli"])
        : cli(step === "salvage" ? ["salvage", DAMAGED_RUN] : ["unpause", PAUSED_GROUND]),
    http: (step) =>
      step === "fork"
        ? post(`/runs/${PROGRAM_RUN}/fork`, { at: 2, as: "fork-http" })
        : step === "salvage"
          ? post(`/runs/${DAMAGED_RUN}/salvage`, {})
          : post("/unpause", { resource: PAUSED_GROUND }),
    client: (step) =>
      step === "fork"
        ? bench.client.forkRun({ params: { run: PROGRAM_RUN }, body: { at: 2, as: "fork-client" } })
        : step === "salvage"
          ? bench.client.salvageRun({ params: { run: DAMAGED_RUN }, body: {} })
          : bench.client.unpause({ body: { resource: PAUSED_GROUND } }),
  };
  const seen: string[] = [];
  for (const way of WAYS) {
    await ways[way]("fork");
    await withStore(store, pauseResource);
    const after = await withStore(
      store,
      async ({ ports: { journal } }) => (await journal.head(PAUSED_GROUND))?.seq,
    );
    await ways[way]("unpause");
    const events = await withStore(store, async ({ ports: { journal } }) => [
      ...(await journal.read(`fork-${way}`, { after: 0, limit: 100 })),
      ...(await journal.read(PAUSED_GROUND, { after: after ?? 0, limit: 100 })),
    ]);
    const types = events.map(({ type, data }) => ({ type, by: "by" in data ? data.by : null }));
    seen.push(JSON.stringify(types));
  }
  assert.equal(new Set(seen).size, 1, seen.join("\n"));
  assert.match(seen[0] ?? "", /GroundReopened/);
  const salvaged: string[] = [];
  for (const way of WAYS) {
    await ways[way]("salvage");
    const runs = await withStore(store, ({ ports: { journal } }) =>
      journal.runs({ onDamaged: () => undefined }),
    );
    salvaged.push(
      runs
        .filter(({ run }) => run.startsWith(`${DAMAGED_RUN}-`))
        .map(({ run }) => run)
        .join(" "),
    );
  }
  assert.ok(
    salvaged.every((found) => found !== ""),
    salvaged.join(" / "),
  );
});
