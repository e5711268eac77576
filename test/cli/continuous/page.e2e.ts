import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { blocksOf, REPOSITORY } from "../../docs/code-blocks.ts";
import { CliBench, pasted } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(5);

const PAGE = readFileSync(path.join(REPOSITORY, "docs/continuous.md"), "utf8");

/** The commands of the table with the exit codes that it names, in their order. */
const ROWS = [...PAGE.matchAll(/^\|.*\| `(holdfast (?:continuous|unblock) .*)` \| (\d) \|$/gm)].map(
  ([, command = "", code = ""]) => ({ command, code: Number(code) }),
);

const script = (...acts: object[]): string => JSON.stringify({ attempts: [acts] });
const list = (agent: string, goal: string, rest = ""): string =>
  `agent: "demo:./${agent}.json"\n${rest}goals: [${goal}]\n`;

const FILES = {
  "asks.json": JSON.stringify({
    attempts: [
      [
        { do: "say", text: "?" },
        { do: "blocked", reason: "needs_human", text: "which port?" },
      ],
      [{ do: "claim", ok: true, text: "done" }],
    ],
  }),
  "counts.json": script(
    { do: "usage", usd: 0, tokensIn: 20, tokensOut: 20 },
    { do: "claim", ok: true, text: "done" },
  ),
  "ghost.json": script({ do: "exit", code: 3 }),
  "spends.json": script({ do: "usage", usd: 2 }, { do: "claim", ok: true, text: "done" }),
  "slow.json": script({ do: "say", text: "{task}" }, { do: "sleep", ms: 3_600_000 }),
  "goals.jsonl": '{ "id": "mail", "goal": "sort the mail" }\n"fix the tests"\n',
  "often.yaml": "agent: demo\ngoals: [{ id: mail, goal: sort the mail, everyMs: 1h }]\n",
  "nightly.yaml": 'agent: demo\ngoals: [{ id: mail, goal: sort the mail, cron: "0 3 * * *" }]\n',
  "polls.yaml":
    "agent: demo\nidle: { policy: poll, everyMs: 10ms, maxMs: 20ms, rounds: 2 }\ngoals: [sort the mail]\n",
  "pair.yaml":
    'name: pair\nsteps: [{ name: one, task: "begin {goal}", agent: demo }, { name: two, task: "end {goal}", agent: demo, needs: [one] }]\n',
  "mixed.yaml": `agent: demo
goals: [{ id: plain, goal: x }, { id: counts, goal: y, agent: "demo:./counts.json" }, { id: steps, goal: z, flow: pair.yaml }]
`,
  "VISION.md": "A garden.\n",
  "sees-nothing.json": script({ do: "claim", ok: true, text: '{"goals":[]}' }),
  "planned.yaml": 'agent: "demo:./sees-nothing.json"\nidle: { policy: plan, vision: VISION.md }\ngoals: []\n',
  "once.yaml": "agent: demo\ngoals: [sort the mail]\n",
  "asks.yaml": list("asks", "{ id: port, goal: choose a port }"),
  "fails.yaml": list("ghost", "{ id: bad, goal: break it }, another", "ghosts: { retries: 0 }\n"),
  "ghost.yaml": list("ghost", "{ id: ghost, goal: haunt it }", "ghosts: { baseMs: 10ms }\n"),
  "budget.yaml": list("spends", "one, two, three", "budget: { usd: 4 }\n"),
  "tokens.yaml": list("counts", "one, two, three", "budget: { tokens: 40 }\n"),
  "holdfast.yaml": `startup: { termGraceMs: 500 }
supervisor: { idleExitMs: 60000, scanMs: 100 }
attempts: { perStep: 2 }
backoff: { baseMs: 10, capMs: 10 }
`,
};

test("G14 each command that docs/continuous.md prints does what its row says", async () => {
  const bench = new CliBench(FILES);
  try {
    for (const { file, text } of blocksOf("continuous.md", PAGE)) bench.write(file, text);
    mkdirSync(path.join(bench.cwd, "goals"));
    writeFileSync(
      path.join(bench.cwd, "goals/slow.yaml"),
      'goal: take your time\nagent: "demo:./slow.json"\n',
    );
    assert.ok(ROWS.length >= 15, `${String(ROWS.length)} rows`);
    for (const { command, code } of ROWS) {
      const ended = await bench.call(pasted(command));
      assert.equal(ended.code, code, `${command}: ${ended.stdout}${ended.stderr}`);
    }
  } finally {
    await bench.close();
  }
});
