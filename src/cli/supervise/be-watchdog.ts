import type { System } from "../../main.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { EXIT } from "../shell/exit-codes.ts";
import { onInterrupt } from "../run/interrupts.ts";
import type { Invocation } from "../shell/invocation.ts";
import { siblingHands, startsSupervisor } from "./sibling-processes.ts";

const END_TEXT = {
  held: "another one watches already",
  dismissed: "ended with its supervisor",
  needless: "ended: there is no supervisor to watch",
  store_gone: "ended: the store is gone",
} as const;

/** The sibling: watches the supervisor of this host until it ends as it should. */
export async function beWatchdog(call: Invocation, system: System, isService: boolean): Promise<number> {
  const { world } = system.ports;
  const say = (text: string): void => call.output.line(`${isoTime(world.now())}  watchdog: ${text}`);
  const hands = siblingHands(call, system, startsSupervisor);
  const isStoreThere = (): boolean => call.storeExists;
  const watchdog = system.watchdog({ hands, say, isService, isStoreThere });
  const quiet = onInterrupt(() => watchdog.stop());
  try {
    const { kind } = await watchdog.work();
    if (kind !== "held") say(END_TEXT[kind]);
    call.output.document({ end: kind });
    return EXIT.done;
  } finally {
    quiet();
  }
}
