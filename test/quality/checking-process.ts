// Runs one check and says how it went; a test kills this process in the middle. Arguments: the order as JSON.
import { membersOf } from "../../src/agents/keeper/session-members.ts";
import type { CheckOrder } from "../../src/quality/quality.ts";
import { shellQuality } from "../../src/quality/shell/shell-quality.ts";
import { realWorld } from "../../src/real-world.ts";

const order = JSON.parse(process.argv[2] ?? "") as CheckOrder;
const quality = shellQuality({
  world: realWorld(),
  marked: (entry) => Promise.resolve(membersOf(entry, undefined)),
});
const evidence = await quality.check(order, new AbortController().signal);
process.stdout.write(`${JSON.stringify(evidence)}\n`);
