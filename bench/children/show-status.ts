// What `holdfast status` does after its arguments are read, without printing: node show-status.ts FILE
import { openSystem } from "../../src/main.ts";
import { configSchema } from "../../src/model/settings/config.ts";
import { isEnded, RUN_STATUSES } from "../../src/model/state/run-status.ts";
import { statusView } from "../../src/views/status/status.ts";
import { measureOnce } from "./measured.ts";

const [, , file = ""] = process.argv;
await measureOnce(async () => {
  const system = await openSystem({ store: `sqlite:${file}`, settings: configSchema.parse({}) });
  const open = RUN_STATUSES.filter((status) => !isEnded(status));
  const live = await system.ports.journal.runs({ statuses: open });
  const state = await system.loadRun(live[0]?.run ?? "");
  return state === null ? 0 : statusView(state, null).position;
});
