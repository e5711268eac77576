import type { ProcessIdentity, World } from "../model/world.ts";
import { isSignalable } from "./process-identity.ts";

/** Kills a process that is still the one that was meant: a pid that was given to another meanwhile is not touched. */
export const killExactly =
  (world: World) =>
  (of: ProcessIdentity): void => {
    if (!isSignalable(of.pid) || world.liveness(of) !== "alive") return;
    try {
      process.kill(of.pid, "SIGKILL");
    } catch {
      // It ended between the look and the signal; any other refusal shows in that it stays.
    }
  };
