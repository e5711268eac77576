import type { AgentDriver, HostFence } from "../agent-driver.ts";

type Drivers<Use> = ReadonlyMap<Use, AgentDriver>;

/** Every session is known to the guard before its agent begins. */
export function guardedDrivers<Use>(drivers: Drivers<Use>, fence: HostFence | undefined): Drivers<Use> {
  if (fence === undefined) return drivers;
  const guarded = (driver: AgentDriver): AgentDriver => ({
    ...driver,
    start(order) {
      fence.guard(order.session, order.run);
      return driver.start(order);
    },
  });
  return new Map([...drivers].map(([use, driver]) => [use, guarded(driver)]));
}
