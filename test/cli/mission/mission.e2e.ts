import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { MissionView } from "../../../src/views/mission/mission-document.ts";
import { takesTurns } from "../../turns.ts";
import { CliBench, pasted } from "../cli-process.ts";
import { commitFile, filesOn, git, makeRepository } from "./made-repository.ts";

const { test } = takesTurns(3);
const LIMIT_MS = 240_000;
const script = (...acts: object[]): string => JSON.stringify({ attempts: [acts] });
const makes = (file: string, ...more: object[]): string =>
  script(
    { do: "say", text: "{task}" },
    { do: "append", file, line: "made" },
    { do: "usage", usd: 1, tokensIn: 5, tokensOut: 5 },
    ...more,
    { do: "claim", ok: true, text: "done" },
  );

const CONFIG = `startup: { termGraceMs: 500 }
supervisor: { idleExitMs: 60000, scanMs: 100 }
attempts: { perStep: 1 }
checks: { tries: 1 }
backoff: { baseMs: 10, capMs: 10 }
`;

async function withBench(
  files: Readonly<Record<string, string>>,
  work: (bench: CliBench) => Promise<void>,
): Promise<void> {
  const bench = new CliBench({ ...files, "holdfast.yaml": CONFIG });
  try {
    await work(bench);
  } finally {
    await bench.close();
  }
}

const statusOf = (bench: CliBench, name = "shop"): Promise<MissionView> =>
  bench.json<MissionView>(["mission", "status", name]);

async function until(
  bench: CliBench,
  what: string,
  holds: (view: MissionView) => boolean,
): Promise<MissionView> {
  for (const end = Date.now() + LIMIT_MS; ; await delay(200)) {
    const view = await statusOf(bench);
    if (holds(view)) return view;
    assert.ok(Date.now() < end, `never ${what}: ${JSON.stringify(view)}`);
  }
}

const states = ({ workstreams }: MissionView): string[] =>
  workstreams.map(({ id, status }) => `${id} ${status}`);

/** Refused with that reason; nothing is launched. */
async function refusedFor(bench: CliBench, reason: string, ...words: string[]): Promise<void> {
  const ended = await bench.call(["mission", "launch", "shop", ...words]);
  assert.deepEqual(
    [ended.code, ended.stderr.includes(`${reason}: `)],
    [5, true],
    ended.stdout + ended.stderr,
  );
}

test("G15 files, decisions and context reach later workstreams, one that builds on another in its repository begins with it, and a URL is cloned", () =>
  withBench(
    { "plan.json": makes("plan.md"), "build.json": makes("build.txt"), "page.json": makes("page.txt") },
    async (bench) => {
      const api = makeRepository(path.join(bench.cwd, "api"));
      makeRepository(path.join(bench.cwd, "web"));
      bench.write(
        "shop.yaml",
        `repositories: { api: ./api, web: { url: "file://${path.join(bench.cwd, "web")}" } }
context: prices are in cents
decisions: [names are in English]
workstreams:
  - { id: plan, repository: api, goal: make a plan, agent: "demo:./plan.json", artifacts: [plan.md] }
  - { id: build, repository: api, goal: build it, agent: "demo:./build.json", needs: [plan] }
  - { id: page, repository: web, goal: write the page, agent: "demo:./page.json", needs: [plan] }
`,
      );
      await bench.json(["mission", "start", "shop.yaml"]);
      await bench.json(["mission", "autopilot", "--wait"]);
      const { diffs, digest } = await bench.json<{
        diffs: { workstream: string; patch: string }[];
        digest: string;
      }>(["mission", "diff"]);
      assert.deepEqual(
        diffs.map(({ workstream, patch }) => [workstream, /\+\+\+ b\/(\S+)/.exec(patch)?.[1]]),
        [
          ["plan", "plan.md"],
          ["build", "build.txt"],
          ["page", "page.txt"],
        ],
      );
      const told = (await bench.eventsOf("shop.page.1"))
        .map((event) => JSON.stringify(event.data))
        .join("\n");
      for (const words of [
        "prices are in cents",
        "names are in English",
        "Delivered by the workstream plan in api: plan.md",
        "made",
      ])
        assert.ok(told.includes(words), words);
      assert.deepEqual(filesOn(api), ["README.md"], "nothing is accepted before it is approved");
      const outdated = await bench.call(["mission", "approve", "--digest", "another"]);
      assert.deepEqual([outdated.code, outdated.stderr.includes("outdated: ")], [5, true], outdated.stderr);
      const view = await bench.json<MissionView>(["mission", "approve", "--digest", digest, "--wait"]);
      assert.deepEqual(
        [view.status, ...states(view)],
        ["ended", "plan accepted", "build accepted", "page accepted"],
      );
      assert.deepEqual(filesOn(api), ["README.md", "build.txt", "plan.md"]);
      const [clone] = view.repositories.filter(({ name }) => name === "web");
      assert.deepEqual(filesOn(clone?.path ?? ""), ["README.md", "page.txt"]);
    },
  ));

test("G15 two failures over several repositories: a retry is refused for each reason that git and other missions give, then retries exactly one", () =>
  withBench(
    {
      "fails.json": makes("a.txt"),
      "page.json": makes("page.txt"),
      "app.json": makes("app.txt"),
      "waits.json": script(
        { do: "say", text: "{task}" },
        { do: "wait", file: "go" },
        { do: "claim", ok: true, text: "done" },
      ),
    },
    async (bench) => {
      const api = makeRepository(path.join(bench.cwd, "api"));
      for (const name of ["web", "mobile"]) makeRepository(path.join(bench.cwd, name));
      const ok = path.join(bench.cwd, "ok");
      const failing = (id: string, repository: string) =>
        `{ id: ${id}, repository: ${repository}, goal: ${id}, agent: "demo:./fails.json", checks: ["test -f ${ok}"] }`;
      bench.write(
        "shop.yaml",
        `repositories: { api: ./api, web: ./web, mobile: ./mobile }
barriers: { any: { of: [a, page], when: any } }
workstreams:
  - ${failing("a", "api")}
  - ${failing("b", "web")}
  - { id: page, repository: web, goal: page, agent: "demo:./page.json" }
  - { id: app, repository: mobile, goal: app, agent: "demo:./app.json", needs: [any] }
`,
      );
      bench.write(
        "other.yaml",
        `repositories: { api: ./api }\nworkstreams: [{ id: x, repository: api, goal: x, agent: "demo:./waits.json" }]\n`,
      );
      await bench.json(["mission", "start", "shop.yaml"]);
      await refusedFor(bench, "not_retryable", "--workstream", "a", "--retry");
      await bench.json(["mission", "launch", "shop", "--workstream", "page", "--wait"]);
      for (const id of ["a", "b"])
        await bench.json(["mission", "launch", "shop", "--workstream", id, "--wait"], 1);
      await refusedFor(bench, "several_failures", "--workstream", "a", "--retry");
      await bench.json(["mission", "skip", "b", "--mission", "shop"]);
      writeFileSync(path.join(api, "draft.txt"), "mine\n");
      await refusedFor(bench, "repository_dirty", "--workstream", "a", "--retry");
      git(api, "add", "draft.txt");
      git(api, "commit", "--quiet", "--message", "mine");
      await bench.json(["mission", "start", "other.yaml"]);
      await bench.json(["mission", "launch", "other", "--workstream", "x"]);
      await bench.receives("other.x.1", "x");
      await refusedFor(bench, "another_owner", "--workstream", "a", "--retry");
      await bench.json(["mission", "stop", "other"]);
      writeFileSync(ok, "");
      const { warning, ...view } = await bench.json<MissionView & { warning?: string }>([
        ...["mission", "launch", "shop", "--workstream", "a", "--retry", "--wait"],
      ]);
      assert.ok(warning === undefined || warning.includes("shop.a.2 is completed"), warning);
      const [a] = view.workstreams;
      assert.deepEqual(
        a?.tries.map(({ run, retry, end }) => [run, retry, end === "failed"]),
        [
          ["shop.a.1", false, true],
          ["shop.a.2", true, false],
        ],
      );
      await bench.json(["mission", "launch", "shop", "--workstream", "app", "--wait"]);
      const ready = await until(bench, "was ready", ({ status }) => status === "ready_to_accept");
      assert.deepEqual(states(ready), ["a done", "b skipped", "page done", "app done"]);
    },
  ));

test("G15 no branch moves while one repository is not as it has to be; what people do to the repositories outranks the mission", () =>
  withBench({ "one.json": makes("one.txt"), "two.json": makes("two.txt") }, async (bench) => {
    const api = makeRepository(path.join(bench.cwd, "api"));
    const web = makeRepository(path.join(bench.cwd, "web"));
    bench.write(
      "shop.yaml",
      `repositories: { api: ./api, web: ./web }
workstreams:
  - { id: one, repository: api, goal: one, agent: "demo:./one.json" }
  - { id: two, repository: web, goal: two, agent: "demo:./two.json" }
`,
    );
    await bench.json(["mission", "start", "shop.yaml"]);
    await bench.json(["mission", "autopilot", "--wait"]);
    commitFile(web, "two.txt", "mine\n");
    const held = await bench.json<MissionView>(["mission", "approve", "--wait"], 3);
    assert.deepEqual([held.block?.kind, held.block?.workstream], ["merge_conflict", "two"]);
    assert.deepEqual(filesOn(api), ["README.md"], "the first branch has not moved");
    git(web, "reset", "--quiet", "--hard", "HEAD~1");
    git(web, "switch", "--quiet", "--create", "aside");
    const switched = await until(bench, "was held", ({ block }) => block?.kind === "branch_switched");
    assert.match(switched.block?.command ?? "", / switch main$/);
    git(web, "switch", "--quiet", "main");
    git(web, "merge", "--quiet", "--ff-only", "holdfast/shop.two.1");
    // It may have gone on by itself meanwhile.
    const again = await bench.call(["mission", "approve"]);
    assert.ok(again.code === 0 || again.stderr.includes("over: "), again.stderr);
    const over = await until(bench, "ended", ({ status }) => status === "ended");
    assert.deepEqual(states(over), ["one accepted", "two accepted"]);
    assert.deepEqual(
      [filesOn(api), filesOn(web)],
      [
        ["README.md", "one.txt"],
        ["README.md", "two.txt"],
      ],
    );
    git(web, "reset", "--quiet", "--hard", "HEAD~1");
    const [lost] = (await statusOf(bench)).reconciliationRequired;
    assert.deepEqual([lost?.kind, lost?.workstream], ["not_there_any_more", "two"]);
    const reconciled = await bench.call([...pasted(lost?.command ?? ""), "--json"]);
    assert.deepEqual(
      [reconciled.code, (JSON.parse(reconciled.stdout) as MissionView).status],
      [0, "ready_to_accept"],
      reconciled.stderr,
    );
    await bench.json(["mission", "approve", "--wait"]);
    assert.deepEqual(filesOn(web), ["README.md", "two.txt"]);
  }));

test("G15 a stop outlives the supervisor and holds everything; a resume goes on with the same run", () =>
  withBench(
    {
      "waits.json": script(
        { do: "say", text: "{task}" },
        { do: "wait", file: "go" },
        { do: "append", file: "one.txt", line: "made" },
        { do: "claim", ok: true, text: "done" },
      ),
    },
    async (bench) => {
      makeRepository(path.join(bench.cwd, "api"));
      bench.write(
        "shop.yaml",
        `repositories: { api: ./api }
agent: "demo:./waits.json"
workstreams: [{ id: one, repository: api, goal: one }, { id: two, repository: api, goal: two, needs: [one] }]
`,
      );
      await bench.json(["mission", "start", "shop.yaml"]);
      const { supervisor } = await bench.json<{ supervisor: { pid: number } }>(["mission", "autopilot"]);
      await bench.receives("shop.one.1", "one");
      process.kill(supervisor.pid, "SIGKILL");
      assert.equal((await bench.json<MissionView>(["mission", "stop"])).status, "stopped");
      await bench.reaches("shop.one.1", "paused");
      const refused = await bench.call(["mission", "launch", "--workstream", "one", "--retry"]);
      assert.equal(refused.code, 5, refused.stdout);
      const [{ tries } = { tries: [] }] = (await statusOf(bench)).workstreams;
      assert.equal(tries.length, 1);
      await bench.json(["mission", "resume"]);
      await bench.reaches("shop.one.1", "running");
      await bench.json(["mission", "stop"]);
    },
  ));
