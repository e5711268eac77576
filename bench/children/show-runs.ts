// What `holdfast runs` does after its arguments are read, without printing: node show-runs.ts FILE
import { lookAtSupervision } from "../../src/cli/supervise/look-at-supervision.ts";
import { runsTable } from "../../src/cli/print/runs-table.ts";
import { openSystem } from "../../src/main.ts";
import { configSchema } from "../../src/model/settings/config.ts";
import { measureOnce } from "./measured.ts";

const [, , file = ""] = process.argv;
await measureOnce(async () => {
  const system = await openSystem({ store: `sqlite:${file}`, settings: configSchema.parse({}) });
  const lookedOf = await lookAtSupervision(system, null);
  return runsTable(await system.ports.journal.runs(), lookedOf).length - 1;
});
