import type { AgentSpec } from "../model/flow/flow.ts";
import type { AgentDriver, StartOrder } from "./agent-driver.ts";

/**
 * The head of a shell script whose program gets less of the processor than the supervisor: `low` holds the words to
 * start it with. Linux may schedule by session first (autogroup), where the priority of a single process counts only
 * within its session; so the session is marked as well, as far as the system allows it. Where there is no `nice`, the
 * program starts as it is.
 */
export function lowPriority(nice: number): string {
  if (nice <= 0) return "low=\n";
  const level = String(Math.min(Math.round(nice), 19));
  return `low=
if command -v nice >/dev/null 2>&1; then low='nice -n ${level}'; fi
if [ -w "/proc/$$/autogroup" ]; then { printf ${level} >"/proc/$$/autogroup"; } 2>/dev/null; fi
`;
}

type Drivers = ReadonlyMap<AgentSpec["use"], AgentDriver>;

/** The same drivers, whose agents give way by so much. */
export const withPriority = (drivers: Drivers, nice: number): Drivers =>
  new Map(
    [...drivers].map(([use, driver]) => [
      use,
      { ...driver, start: (order: StartOrder) => driver.start({ ...order, nice }) },
    ]),
  );
