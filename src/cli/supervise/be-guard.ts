import { isoTime } from "../../model/text/iso-time.ts";
import { logFile, startDetached } from "./detached-supervisor.ts";
import type { Invocation } from "../shell/invocation.ts";
import { EXIT } from "../shell/define-command.ts";

/** Passed by nobody but `guardHands`: the process that freezes agents whom nobody may supervise. */
export const GUARD_OPTION = "--as-guard";

/** How a supervisor starts the guard of its agents. */
export const guardHands = (call: Invocation): { start(): void } => ({
  // Not where this one was started: that folder may be gone.
  start: () => void startDetached(call, logFile(call), { words: [GUARD_OPTION], cwd: call.stateFolder }),
});

/** Guards the agents of this host, without its store. */
export async function beGuard(call: Invocation): Promise<number> {
  const { guardHere } = await import("../../main.ts");
  const say = (text: string): void => call.output.line(`${isoTime(Date.now())}  guard: ${text}`);
  await guardHere(call.store.url, say);
  return EXIT.done;
}
