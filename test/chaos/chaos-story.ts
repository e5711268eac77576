/**
 * Tells the story of seven stages again and again, each time with the supervisor killed at two other points, and
 * checks that it comes to READY, that the journal is whole and that the report tells all that happened.
 *
 * Usage: npm run chaos:story -- [--seeds 10] [--from 1]
 * Ends with exit 1 at the first story that went wrong, with its seed.
 */
import { parseArgs } from "node:util";
import { errorText } from "../../src/model/fault.ts";
import { checkStory } from "../cli/check-story.ts";
import { printStory } from "../cli/seven-stage-story.ts";

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "10" }, from: { type: "string", default: "1" } },
});
const from = Number(values.from);
for (let seed = from; seed < from + Number(values.seeds) && process.exitCode !== 1; seed += 1) {
  try {
    const reported = await printStory(seed);
    try {
      await checkStory(reported);
      console.log(`seed ${String(seed)}: READY, killed at events ${reported.killedAt.join(" and ")}`);
    } finally {
      await reported.bench.close();
    }
  } catch (error) {
    console.error(`✖ seed ${String(seed)}: ${errorText(error)}`);
    process.exitCode = 1;
  }
}
