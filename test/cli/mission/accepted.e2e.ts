import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import type { MissionView } from "../../../src/views/mission/mission-document.ts";
import { CliBench } from "../cli-process.ts";
import { commitFile, filesOn, git, makeRepository } from "./made-repository.ts";

const LIMIT_MS = 240_000;
const makes = (file: string): string =>
  JSON.stringify({
    attempts: [
      [
        { do: "append", file, line: "made" },
        { do: "claim", ok: true, text: "done" },
      ],
    ],
  });

const FILES = {
  "page.json": makes("page.txt"),
  "holdfast.yaml": "startup: { termGraceMs: 500 }\nsupervisor: { idleExitMs: 60000, scanMs: 100 }\n",
};

async function withBench(work: (bench: CliBench) => Promise<void>): Promise<void> {
  const bench = new CliBench(FILES);
  try {
    await work(bench);
  } finally {
    await bench.close();
  }
}

const mission = (repository: string): string => `repositories: { web: ${repository} }
workstreams: [{ id: page, repository: web, goal: write the page, agent: "demo:./page.json" }]
`;

test("G15 accepted work of a repository at a URL is pushed when a person asks, never by force, and its status names the command until then", () =>
  withBench(async (bench) => {
    const far = path.join(bench.cwd, "far.git");
    git(makeRepository(path.join(bench.cwd, "seed")), "clone", "--quiet", "--bare", ".", far);
    bench.write("shop.yaml", mission(`{ url: "file://${far}" }`));
    await bench.json(["mission", "start", "shop.yaml"]);
    await bench.json(["mission", "autopilot", "--wait"]);
    const nothing = await bench.json<{ pushed: string[] }>(["mission", "push"]);
    assert.deepEqual(
      [nothing.pushed, filesOn(far)],
      [[], ["README.md"]],
      "what is not accepted is not pushed",
    );
    const view = await bench.json<MissionView>(["mission", "approve", "--wait"]);
    const [web] = view.repositories;
    assert.deepEqual([view.status, web?.url], ["ended", `file://${far}`]);
    assert.match(web?.push ?? "", /mission push shop$/);
    assert.equal(view.command, web?.push);
    assert.deepEqual(filesOn(far), ["README.md"], "nothing is pushed by itself");
    const other = path.join(bench.cwd, "other");
    git(bench.cwd, "clone", "--quiet", far, other);
    commitFile(other, "mine.txt", "mine\n");
    git(other, "push", "--quiet", "origin", "main");
    const refused = await bench.call(["mission", "push", "shop"]);
    assert.deepEqual([refused.code, /cannot be pushed to/.test(refused.stderr)], [5, true], refused.stderr);
    assert.ok(refused.stderr.includes(web?.path ?? "?"), refused.stderr);
    git(web?.path ?? "", "pull", "--quiet", "--no-rebase", "--no-edit", far, "main");
    const pushed = await bench.json<MissionView & { pushed: string[] }>(["mission", "push", "shop"]);
    assert.deepEqual([pushed.pushed, pushed.repositories[0]?.push, pushed.command], [["web"], null, null]);
    assert.deepEqual(filesOn(far), ["README.md", "mine.txt", "page.txt"]);
    assert.deepEqual((await bench.json<{ pushed: string[] }>(["mission", "push"])).pushed, []);
  }));

test("G15 J4 an acceptance that was held goes on when a supervisor starts, once what held it is gone", () =>
  withBench(async (bench) => {
    const web = makeRepository(path.join(bench.cwd, "web"));
    bench.write("shop.yaml", mission("./web"));
    await bench.json(["mission", "start", "shop.yaml"]);
    await bench.json(["mission", "autopilot", "--wait"]);
    writeFileSync(path.join(web, "draft.txt"), "mine\n");
    const held = await bench.call(["mission", "approve", "--wait", "--json"]);
    assert.equal(held.code, 3, held.stdout + held.stderr);
    assert.equal((JSON.parse(held.stdout) as MissionView).block?.kind, "repository_dirty");
    assert.equal((await bench.call(["down"])).code, 0);
    rmSync(path.join(web, "draft.txt"));
    await delay(300);
    assert.ok(!existsSync(path.join(web, "page.txt")), "nobody is there who goes on");
    assert.equal((await bench.call(["up", "--detach"])).code, 0);
    for (const end = Date.now() + LIMIT_MS; ; await delay(200)) {
      const { status } = await bench.json<MissionView>(["mission", "status", "shop"]);
      if (status === "ended") break;
      assert.ok(Date.now() < end, status);
    }
    assert.deepEqual(filesOn(web), ["README.md", "page.txt"]);
  }));
