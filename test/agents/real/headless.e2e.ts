import assert from "node:assert/strict";
import { test } from "node:test";
import { agentsTier } from "../agents-tier.ts";
import { ONE_SHOT_AGENTS } from "./agent-setup.ts";
import { notInstalled, written } from "./agent-stage.ts";
import { CONTENT, withFaults } from "./scripts.ts";
import { outcomesIn, Show, story } from "./show.ts";

/**
 * Resumed, it sends every result of a tool twice, which its provider's rules forbid: it has to start with a new one. What was
 * said without tools it goes on with.
 */
const BREAKS_ITS_HISTORY: ReadonlySet<string> = new Set(["gemini"]);

for (const { name, program, aim } of ONE_SHOT_AGENTS)
  test(
    `A6 the real ${name}, killed in the middle of a turn, goes on with its conversation in the next attempt`,
    { skip: agentsTier || (program === undefined && notInstalled(name)) },
    async (t) => {
      const named = name === "gemini" ? { model: "gemini-2.5-flash" } : {};
      const performer = { spec: { use: name, command: program, ...named }, aim };
      const show = await Show.open(t, performer, withFaults(1, [{ kind: "hang" }]));
      await show.begin("Write hello.txt", "--check", "grep -q scripted hello.txt");
      await show.asked(1);
      for (const pid of show.agentPids(1)) process.kill(pid, "SIGKILL");
      await show.bench.reaches(show.run, "completed");
      assert.equal(written(show.stage), CONTENT);
      const events = await show.events();
      const positions = show.positions();
      assert.deepEqual([positions[0], positions[1]], [0, 1]);
      if (BREAKS_ITS_HISTORY.has(name)) {
        assert.deepEqual(outcomesIn(events), ["crashed", "crashed", "succeeded"], story(events));
        return;
      }
      assert.deepEqual(outcomesIn(events), ["crashed", "succeeded"], story(events));
      assert.ok(!positions.slice(1).includes(0), `the history was there: ${positions.join(" ")}`);
    },
  );
