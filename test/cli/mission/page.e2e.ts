import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { blocksOf, REPOSITORY } from "../../docs/code-blocks.ts";
import { CliBench, pasted } from "../cli-process.ts";
import { makeRepository } from "./made-repository.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(2);

const PAGE = readFileSync(path.join(REPOSITORY, "docs/missions.md"), "utf8");

/** The commands of the table with the exit codes that it names, in their order. */
const ROWS = [...PAGE.matchAll(/^\| (.*?) \|.*\| `(holdfast mission .*)` \| (\d) \|$/gm)].map(
  ([, situation = "", command = "", code = ""]) => ({ situation, command, code: Number(code) }),
);

const FAILS = JSON.stringify({
  attempts: [
    [
      { do: "say", text: "{task}" },
      { do: "error", text: "the tests fail" },
      { do: "exit", code: 1 },
    ],
  ],
});

const FILES = {
  "fails.json": FAILS,
  "circle.yaml":
    "repositories: { api: ./api }\nworkstreams: [{ id: a, repository: api, goal: x, needs: [b] }, { id: b, repository: api, goal: y, needs: [a] }]\n",
  "fails.yaml": `agent: "demo:./fails.json"
repositories: { docs: ./docs }
workstreams: [{ id: bad, repository: docs, goal: x }, { id: worse, repository: docs, goal: y }]
`,
  "changed.yaml": `agent: "demo:./fails.json"
repositories: { docs: ./docs }
workstreams: [{ id: worse, repository: docs, goal: something else }]
`,
  "other.yaml": `agent: demo
repositories: { docs: ./docs }
workstreams: [{ id: easier, repository: docs, goal: z }]
`,
  "gated.yaml": `agent: demo
repositories: { docs: ./docs }
workstreams: [{ id: a, repository: docs, goal: x }, { id: b, repository: docs, goal: y, needs: [checked] }]
barriers: { checked: { of: [a], approval: true } }
`,
  "holdfast.yaml": `startup: { termGraceMs: 500 }
supervisor: { idleExitMs: 60000, scanMs: 100 }
attempts: { perStep: 1 }
backoff: { baseMs: 10, capMs: 10 }
`,
};

test("G15 each command that docs/missions.md prints does what its row says", async () => {
  const bench = new CliBench(FILES);
  try {
    for (const { file, text } of blocksOf("missions.md", PAGE)) bench.write(file, text);
    for (const name of ["api", "web", "docs"]) makeRepository(path.join(bench.cwd, name));
    // Rows about failures and barriers speak of missions of their own.
    const others = ["fails", "gated"];
    const draft = path.join(bench.cwd, "web/draft.txt");
    assert.ok(ROWS.length >= 20, `${String(ROWS.length)} rows`);
    for (const { situation, command, code } of ROWS) {
      if (situation.includes("uncommitted changes")) writeFileSync(draft, "mine\n");
      if (situation.includes("clean again")) rmSync(draft);
      for (const name of others.filter((one) => command.includes(one))) {
        await bench.json(["mission", "start", `${name}.yaml`]);
        others.splice(others.indexOf(name), 1);
      }
      const ended = await bench.call(pasted(command));
      assert.equal(ended.code, code, `${situation}: ${command}: ${ended.stdout}${ended.stderr}`);
    }
  } finally {
    await bench.close();
  }
});
