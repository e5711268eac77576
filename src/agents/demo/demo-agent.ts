/** The program of the scripted agent: `demo-agent ORDER.json` plays the script it is ordered to, in the current folder. */
import { plainText, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { actsOf, type DemoOrder } from "./demo-order.ts";
import { perform, printSignal } from "./perform-act.ts";

const [, , file] = process.argv;
if (file === undefined) {
  process.stderr.write("usage: demo-agent ORDER.json\n");
  process.exit(2);
}
const order = JSON.parse(plainText(file, { bytesMax: RECORD_BYTES_MAX }) ?? "") as DemoOrder;
printSignal({ kind: "ready" });
for (const act of actsOf(order)) await perform(act, order);
