import { z } from "zod";
import { configSchema, type Config } from "./config.ts";
import { dayBudgetSchema } from "../host/store-resource.ts";
import { hostSettingsSchema, runSettingsSchema } from "./settings.ts";

/**
 * What concerns the host, its store and its people, and so every repository: leases, limits, watchdogs, who is notified,
 * and what a day may cost. It comes from the user's own file. A repository that names it is warned about, not obeyed:
 * otherwise the settings of a supervisor would depend on the folder it was started in.
 */
export const hostConfigSchema = z.strictObject({
  ...hostSettingsSchema.shape,
  notify: runSettingsSchema.shape.notify,
  budget: z
    .strictObject({
      day: dayBudgetSchema
        .optional()
        .describe("what all runs of a store may spend together in one day (UTC)"),
    })
    .prefault({}),
});
export type HostConfig = z.infer<typeof hostConfigSchema>;

/** Where hosts share the store, one that is silent is missed sooner than on one machine, where processes can be seen. */
const FLEET_LEASE_MS = 10_000;

/** What a user's file says, with the defaults of a host that shares its store. */
export function asOfFleet(value: unknown): unknown {
  if (!isMapping(value)) return value;
  const lease = value["lease"] ?? {};
  return isMapping(lease) ? { ...value, lease: { ms: FLEET_LEASE_MS, ...lease } } : value;
}

export const hostConfigJsonSchema = (): unknown => z.toJSONSchema(hostConfigSchema, { io: "input" });

const SECTIONS: readonly string[] = Object.keys(hostConfigSchema.shape).filter((name) => name !== "budget");

/** Whether a top-level section of a configuration is the host's alone. */
export const isHostSection = (name: string): boolean => SECTIONS.includes(name);

/** The keys of the host that a repository's document names, such as `lease.ms`. */
export function hostKeysIn(value: unknown): string[] {
  if (!isMapping(value)) return [];
  const sections = SECTIONS.filter((name) => Object.hasOwn(value, name)).flatMap((name) => {
    const inner = value[name];
    const keys = isMapping(inner) ? Object.keys(inner) : [];
    return keys.length === 0 ? [name] : keys.map((key) => `${name}.${key}`);
  });
  const { budget } = value;
  return isMapping(budget) && Object.hasOwn(budget, "day") ? [...sections, "budget.day"] : sections;
}

/** A repository's configuration on this host: what is the host's comes from the user's own file. */
export function onHost(repository: Config, host: HostConfig): Config {
  const { budget, ...sections } = host;
  const ownBudget = { ...repository.budget };
  delete ownBudget.day;
  return {
    ...repository,
    ...sections,
    budget: { ...ownBudget, ...(budget.day === undefined ? {} : { day: budget.day }) },
  };
}

/** No repository says anything. */
export const defaultConfig = (host: HostConfig): Config => onHost(configSchema.parse({}), host);

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
