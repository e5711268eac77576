import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { seededChance } from "../../sim/world/seeded-chance.ts";
import { openSystem, type System } from "../../src/main.ts";
import { configSchema } from "../../src/model/settings/config.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { isEnded } from "../../src/model/state/run-status.ts";
import { describeEvent } from "../../src/views/text/describe-event.ts";
import { CliBench } from "./cli-process.ts";
import { killOwner } from "./kill-owner.ts";

export const RUN = "story";
export const REJECTION = "the error case is missing";
export const RAISE = "the customer pays for it";

const STAGES = ["intake", "design", "plan", "build", "test", "review", "release"] as const;

/** Each stage writes its note, claims success and costs a dollar. */
const works = (...before: readonly object[]) => ({
  attempts: [
    [
      { do: "say", text: "I was asked: {task}" },
      ...before,
      { do: "append", file: "notes/{step}.md", line: "{attempt}" },
      { do: "usage", tokensIn: 100, usd: 1 },
      { do: "claim", ok: true, text: "all is well" },
    ],
  ],
});

const CONFIG = (root: string): string => `budget: { usd: 4 }
backoff: { baseMs: 1, capMs: 1 }
checks: { tries: 5 }
supervisor: { scanMs: 100 }
agents:
  dev: { use: demo, script: dev.json }
  patient: { use: demo, script: patient.json }
hooks:
  - { name: freeze, at: before_dispatch, step: release, idempotent: true, run: 'test -e "${path.join(root, "thawed")}" || { echo "no releases on Fridays"; exit 2; }' }
`;

/** Quality assurance finds fault with the first two builds, no matter who claims what. */
const CHECKS: Readonly<Partial<Record<string, string>>> = {
  build: 'n=$(wc -l < notes/build.md); echo "QA: $n of 3 parts work"; test "$n" -ge 3',
};

const PHASES = ["intake", "designing", "planning", "building", "testing", "reviewing", "releasing"] as const;

const GATES: Readonly<Partial<Record<string, string>>> = {
  design: "{ name: design, kind: approval, rework: [design] }",
  review: "{ name: reviewed, kind: evidence, checks: [{ run: test -s notes/review.md }] }",
  release: "{ name: release, kind: approval }",
};

const FLOW = [
  "name: seven",
  "phases:",
  ...STAGES.map((stage, at) => {
    const gate = GATES[stage];
    const limit = stage === "test" ? ", limitMs: 1500" : "";
    return `  - { name: ${PHASES[at] ?? ""}${limit}${gate === undefined ? "" : `, gate: ${gate}`} }`;
  }),
  "steps:",
  ...STAGES.flatMap((stage, at) => [
    `  - name: ${stage}`,
    `    phase: ${PHASES[at] ?? ""}`,
    `    agent: ${stage === "test" ? "patient" : "dev"}`,
    `    task: "${stage}: {goal}"`,
    ...(at === 0 ? [] : [`    needs: [${STAGES[at - 1] ?? ""}]`]),
    `    checks: [{ run: ${JSON.stringify(CHECKS[stage] ?? `test -s notes/${stage}.md`)} }]`,
  ]),
  // Nothing has failed for good: this one is never begun.
  "  - { name: rescue, agent: dev, task: help, when: { step: build, status: failed } }",
  "",
].join("\n");

/** What happened while the story was told. */
export interface Reported {
  readonly bench: CliBench;
  /** How many events there were when the supervisor that worked the run was killed. */
  readonly killedAt: readonly number[];
  /** What the person was asked, in order. */
  readonly asked: readonly string[];
}

/** Events of an undisturbed story, about: kills are spread over them. */
const EVENTS = 330;
const LIMIT_MS = 240_000;
const LOOK_EVERY_MS = 50;

/**
 * Tells the story once: supervisors are killed with SIGKILL at two points that the seed chooses, and a person answers
 * whatever is asked with the commands of the command line.
 */
export async function printStory(seed: number): Promise<Reported> {
  const bench = new CliBench({
    "dev.json": JSON.stringify(works()),
    "patient.json": JSON.stringify(works({ do: "wait", file: "lab-is-free" })),
    "seven.yaml": FLOW,
    ".gitignore": "lab-is-free\n",
  });
  bench.write("holdfast.yaml", CONFIG(bench.root));
  execFileSync("git", ["init", "-q", bench.cwd]);
  try {
    return await lives(bench, seed);
  } catch (error) {
    await bench.close();
    throw error;
  }
}

async function lives(bench: CliBench, seed: number): Promise<Reported> {
  const chance = seededChance(seed);
  const kills = [0.03 + 0.45 * chance(), 0.5 + 0.45 * chance()].map((part) => Math.round(part * EVENTS));
  await bench.json(["run", "sell apples", "--flow", "seven.yaml", "--id", RUN, "--detach"]);
  const system = await openSystem({ store: `sqlite:${bench.store}`, settings: configSchema.parse({}) });
  const reported = { bench, killedAt: [] as number[], asked: [] as string[] };
  try {
    for (const until = Date.now() + LIMIT_MS; ; await delay(LOOK_EVERY_MS)) {
      const state = (await system.loadRun(RUN)) ?? assert.fail("the run is not there");
      if (isEnded(state.status)) return reported;
      assert.ok(Date.now() < until, `seed ${String(seed)} hangs:\n${await soFar(system)}`);
      const next = kills[reported.killedAt.length];
      if (next !== undefined && state.seq >= next && state.status === "running") {
        await delay(50 * chance());
        if (await killOwner(system, RUN)) reported.killedAt.push(state.seq);
        await bench.json(["up", "--detach"]);
      } else if (state.blocked !== null) {
        reported.asked.push(state.blocked.gate ?? state.blocked.reason);
        await answer(reported, state, await soFar(system));
      }
    }
  } finally {
    await system.close();
  }
}

const soFar = async ({ ports: { journal } }: System): Promise<string> =>
  (await journal.read(RUN, { after: 0, limit: 10_000 })).map(describeEvent).join("\n");

/** A person who answers what is asked: each stop has one way on. */
async function answer({ bench, asked }: Reported, { blocked }: RunState, story: string): Promise<void> {
  const does = async (...args: readonly string[]): Promise<void> => {
    const ended = await bench.call(args);
    assert.equal(ended.code, 0, `${args.join(" ")}: ${ended.stdout}${ended.stderr}\n${story}`);
  };
  const waysOn: Readonly<Record<string, () => Promise<void>>> = {
    design: () =>
      asked.filter((what) => what === "design").length === 1
        ? does("reject", RUN, "design", "--note", REJECTION)
        : does("approve", RUN, "design"),
    release: () => does("approve", RUN, "release"),
    budget_exhausted: () => does("set", RUN, "budget.usd=100", "--note", RAISE),
    timeout: () => {
      bench.write("lab-is-free", "");
      return does("set", RUN, "phase.testing.limit=1h");
    },
    hook_block: () => {
      writeFileSync(path.join(bench.root, "thawed"), "");
      return does("retry", RUN, "--step", "release");
    },
  };
  const goOn = waysOn[asked.at(-1) ?? ""];
  assert.ok(goOn, `nobody knows what to do about ${JSON.stringify(blocked)}:\n${story}`);
  await goOn();
}
