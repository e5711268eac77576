import { test } from "node:test";
import { checkStory } from "../check-story.ts";
import { printStory } from "../seven-stage-story.ts";

/** `npm run chaos:story` tells it with others. */
const SEED = Number(process.env["STORY_SEED"] ?? 20_261);

test("G1 G4 G6 G7 G9 G10 G12 G13 seven stages with failed checks, a rework, approvals, a spent budget, a timeout, a hook that says no and two killed supervisors come to READY, and the report shows all of it", async (t) => {
  t.diagnostic(`seed ${String(SEED)}`);
  const reported = await printStory(SEED);
  t.after(() => reported.bench.close());
  await checkStory(reported);
});
