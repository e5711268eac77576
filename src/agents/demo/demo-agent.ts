/** The program of the scripted agent: `demo-agent ORDER.json` plays the script it is ordered to, in the current folder. */
import { readFileSync } from "node:fs";
import { actsOf, type DemoOrder } from "./demo-order.ts";
import { perform, tell } from "./perform-act.ts";

const [, , file] = process.argv;
if (file === undefined) {
  process.stderr.write("usage: demo-agent ORDER.json\n");
  process.exit(2);
}
const order = JSON.parse(readFileSync(file, "utf8")) as DemoOrder;
tell({ kind: "ready" });
for (const act of actsOf(order)) await perform(act, order);
