import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { CliBench } from "../cli-process.ts";
import { makeRepository } from "./made-repository.ts";

const LONG = Array.from({ length: 2_000 }, (_, at) => `line ${String(at)} of the interface\n`).join("");
const script = (...acts: object[]): string => JSON.stringify({ attempts: [acts] });

test("G15 W10 a long file of a workstream reaches the agents of those that need it byte for byte, and is not in their task", async () => {
  const bench = new CliBench({
    "makes.json": script(
      { do: "write", file: "interface.txt", content: LONG },
      { do: "write", file: "note.txt", content: "short enough" },
      { do: "claim", ok: true, text: "done" },
    ),
    "reads.json": script(
      { do: "say", text: "{task}" },
      { do: "append", file: "read.txt", line: "read" },
      { do: "claim", ok: true, text: "done" },
    ),
    "holdfast.yaml": "startup: { termGraceMs: 500 }\nsupervisor: { idleExitMs: 60000, scanMs: 100 }\n",
    "shop.yaml": `repositories: { api: ./api, web: ./web }
workstreams:
  - { id: makes, repository: api, goal: write it, agent: "demo:./makes.json", artifacts: [interface.txt, note.txt] }
  - { id: reads, repository: web, goal: read it, agent: "demo:./reads.json", needs: [makes] }
`,
  });
  try {
    makeRepository(path.join(bench.cwd, "api"));
    makeRepository(path.join(bench.cwd, "web"));
    await bench.json(["mission", "start", "shop.yaml"]);
    await bench.json(["mission", "autopilot", "--wait"]);
    const events = await bench.eventsOf("shop.reads.1");
    const said = events.map((event) => JSON.stringify(event.data)).join("\n");
    const [, file = "", digest = ""] =
      /- (\/\S+mission~makes\/interface\.txt) \(SHA-256 ([0-9a-f]{64})\)/.exec(said) ?? [];
    assert.equal(readFileSync(file, "utf8"), LONG);
    assert.equal(digest, createHash("sha256").update(LONG).digest("hex"));
    assert.ok(!said.includes("line 1999 of the interface"), "the task holds no long file");
    assert.ok(said.includes("short enough"), "the task holds short ones");
    assert.ok(!/mission~makes\/note\.txt/.test(said), "and these are not given twice");
  } finally {
    await bench.close();
  }
});
