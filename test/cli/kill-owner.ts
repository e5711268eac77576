import type { System } from "../../src/main.ts";

/** Kills the supervisor of this host; answers whether it worked the run when it died. */
export async function killOwner(system: System, run: string): Promise<boolean> {
  const holder = await system.host.holder();
  if (holder === null) return false;
  process.kill(holder.process.pid, "SIGKILL");
  // What was let go just before was not worked by it any more.
  return (await system.ports.journal.lease(run))?.owner?.id === holder.id;
}
