import { postgresMissing, startPostgres } from "../postgres-server.ts";
import { noBrowser } from "./browser.ts";
import type { DashboardStage } from "./dashboard-stage.ts";

/** A supervisor works on a store on PostgreSQL, whose dashboard lists this host, until all is shown. */
export async function onHosts(stage: DashboardStage, show: () => Promise<void>): Promise<void> {
  const missing = noBrowser === false ? postgresMissing() : noBrowser;
  if (missing !== null) throw new Error(`no picture of hosts: ${missing}`);
  const server = await startPostgres();
  const env = { HOLDFAST_STORE: server.url };
  try {
    await stage.api.serve([], env);
    await stage.browser.launch();
    await stage.api.cli.call(["up", "--detach", "--no-http"], { env });
    await show();
  } finally {
    await stage.api.cli.call(["down", "--stop-agents"], { env });
    await server.remove();
  }
}
