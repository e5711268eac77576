import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { AGENT_KINDS, AGENTS } from "../../../../src/model/agent/kinds/registry.ts";
import type { ModelScriptInput } from "../../../../src/model/agent/model-script.ts";
import { notToday } from "../../agents-tier.ts";
import { ONE_SHOT_AGENTS } from "../agent-setup.ts";
import { notInstalled, written } from "../agent-stage.ts";
import { CONTENT } from "../scripts.ts";
import { outcomesIn, Show, story } from "../show.ts";

/** The same call four times, and then the work: it is asked for again after the nudge. */
const CIRCLES: ModelScriptInput = {
  turns: [
    { say: "Once more.", acts: [{ run: "echo same" }], repeat: 4 },
    { say: "I'll create hello.txt.", acts: [{ write: { file: "hello.txt", content: CONTENT } }] },
    { say: "Done. hello.txt is in place." },
  ],
};
const AFTER_CIRCLES = 4;

/** With `AGENTS=all` each of them is tried; one is enough to see that the sessions fit together. */
const agents = ONE_SHOT_AGENTS.filter(
  ({ name }) =>
    AGENT_KINDS.some((use) => use === name && AGENTS[use].continuesBrokenTurn) &&
    (process.env["AGENTS"] === "all" || name === "claude"),
);

for (const { name, version, program, aim } of agents)
  test(
    `R1 R2 the real ${name} ${version} goes round in circles, is nudged in the same conversation at no charge, and does its task`,
    { skip: notToday(0, 2) || (program === undefined && notInstalled(name)) },
    async (t) => {
      let isOver = false;
      t.after(() => (isOver = true));
      // The first session goes round in circles until it is ended, which may be before or after it asks for more.
      const untilNudged = async (): Promise<void> => {
        while (!isOver && outcomesIn(await show.events()).length === 0) await delay(200);
      };
      const settings = { ladder: { nudgeMs: 200, strategyMs: 60_000, restartMs: 60_000 } };
      const spec = { use: name, command: program };
      const show = await Show.open(t, { spec, aim, settings }, CIRCLES, ({ as, position }) =>
        as === "turn" && position === AFTER_CIRCLES ? untilNudged() : Promise.resolve(),
      );
      await show.begin("write hello.txt");
      await show.bench.reaches(show.run, "completed");
      const events = await show.events();
      assert.equal(written(show.stage), CONTENT, story(events));
      assert.deepEqual(outcomesIn(events), ["interrupted", "succeeded"], story(events));
      const taken = events.flatMap(({ type, data }) => (type === "RemedyTaken" ? [data.remedy] : []));
      assert.deepEqual(taken, ["warn", "nudge"], story(events));
      const assessed = events.findLast(({ type }) => type === "RemedyJudged");
      assert.ok(assessed?.type === "RemedyJudged" && assessed.data.outcome === "helped", story(events));
      const asked = show.positions().filter((position, at, all) => position !== all[at - 1]);
      assert.deepEqual(asked, [0, 1, 2, 3, 4, 5], "one conversation");
    },
  );
