import type { EnvironmentSettings } from "../model/settings/environment-settings.ts";
import type { AgentSpec } from "../model/flow/flow.ts";
import { isForAgent } from "../model/settings/passed-environment.ts";
import type { AgentDriver, StartOrder } from "./agent-driver.ts";

const LISTED: EnvironmentSettings = { inherit: "listed", pass: [] };

/**
 * What an agent inherits of its supervisor's environment: what programs commonly need, its own keys, and what is passed
 * by name; never what is Holdfast's own.
 *
 * 1. Never what begins with `HOLDFAST_`: where the store is (with its password), what ends it under test.
 * 2. Never what the order withholds by name: addresses and signing secrets of receivers of notices.
 * 3. Never either of these under another name.
 * 4. Without an agent, everything else: for questions of our own, such as where its settings are.
 */
export function inheritedEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  {
    spec,
    withheld = [],
    environment = LISTED,
  }: Partial<Pick<StartOrder, "spec" | "withheld" | "environment">>,
): Record<string, string> {
  const isOurs = (name: string): boolean => name.startsWith("HOLDFAST_") || withheld.includes(name);
  const secrets = new Set(
    Object.entries(own).flatMap(([name, value]) => (isOurs(name) && isRevealing(value) ? [value] : [])),
  );
  return Object.fromEntries(
    Object.entries(own).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        !isOurs(entry[0]) &&
        !secrets.has(entry[1]) &&
        (spec === undefined || isForAgent(entry[0], spec, { ...environment, own })),
    ),
  );
}

/** A short value, or a path, stands under many names and is no secret. */
const isRevealing = (value: string | undefined): boolean =>
  value !== undefined && value.length >= 12 && !value.startsWith("/");

type Drivers = ReadonlyMap<AgentSpec["use"], AgentDriver>;

/** The same drivers, whose agents inherit by the settings of the host. */
export const withEnvironment = (drivers: Drivers, environment: EnvironmentSettings): Drivers =>
  new Map(
    [...drivers].map(([use, driver]) => [
      use,
      { ...driver, start: (order: StartOrder) => driver.start({ ...order, environment }) },
    ]),
  );
