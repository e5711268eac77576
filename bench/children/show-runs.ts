// What `holdfast runs` does after its arguments are read, without printing: node show-runs.ts FILE
import { runsTable } from "../../src/cli/runs-table.ts";
import { openSystem } from "../../src/main.ts";
import { configSchema } from "../../src/model/config.ts";
import { measureOnce } from "./measured.ts";

const [, , file = ""] = process.argv;
await measureOnce(async () => {
  const system = await openSystem({ store: `sqlite:${file}`, settings: configSchema.parse({}) });
  return runsTable(await system.rooms.journal.runs()).length - 1;
});
