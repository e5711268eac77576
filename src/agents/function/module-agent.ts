/** The program of an agent given as a module: `module-agent ORDER.json` calls its function and prints what it reports. */
import path from "node:path";
import { plainText, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { callModule } from "./call-module.ts";
import type { ModuleOrder } from "./module-order.ts";

const [, , file] = process.argv;
if (file === undefined) {
  process.stderr.write("usage: module-agent ORDER.json\n");
  process.exit(2);
}
await callModule(
  JSON.parse(plainText(file, { bytesMax: RECORD_BYTES_MAX }) ?? "null") as ModuleOrder,
  path.dirname(file),
);
