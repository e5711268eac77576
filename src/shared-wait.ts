import { moveSharedResource } from "./decide/resources/shared-resource-clock.ts";
import type { Journal } from "./journal/journal.ts";
import type { SharedWait } from "./loop/cooldown.ts";
import type { SharedResourceNews, SharedResourceRules } from "./model/host/shared-resource.ts";
import { accountResource } from "./model/host/resource-address.ts";
import type { World } from "./model/world.ts";
import { SharedResources, readSharedResource } from "./runtime/shared-resources.ts";
import type { Leases } from "./runtime/leases.ts";

/** What the programs of a store share of their providers: a step does not say whose account its call was on. */
const PROGRAMS = accountResource("programs");
const REPORT_MS_MAX = 10_000;
/** Programs name the end of a wait themselves, and nobody is informed of them as an incident. */
const RULES: SharedResourceRules = {
  waitMs: 60_000,
  decayMs: 3_600_000,
  failures: Number.MAX_SAFE_INTEGER,
  openMs: 0,
  successes: 1,
  deaths: Number.MAX_SAFE_INTEGER,
  deathsMs: 0,
  hostPauseMs: 0,
  incidentRuns: Number.MAX_SAFE_INTEGER,
  incidentMs: 0,
  brokenMs: 0,
  brokenPauses: 0,
};

type Pause = Pick<NonNullable<SharedResourceNews["pause"]>, "until" | "reopenedAt">;
const endOf = (pause: Pause | null): number =>
  pause === null || pause.reopenedAt !== null ? 0 : pause.until;

/** The waits of programs, kept as those of supervised runs are: in the journal of an account in the store. */
export function sharedWait(ports: {
  readonly journal: Journal;
  readonly world: World;
  readonly leases: Leases;
}): SharedWait {
  const resources = new SharedResources(ports, ports.leases, REPORT_MS_MAX);
  return {
    async report({ run, key, until, text }) {
      const fact = { key, kind: "limited", run, attempt: key, text, until, priority: 0 } as const;
      const signal = AbortSignal.timeout(REPORT_MS_MAX);
      return endOf((await resources.publish(PROGRAMS, { fact, rules: RULES }, signal)).pause);
    },
    async look() {
      const known = await readSharedResource(ports.journal, PROGRAMS);
      const clock = ports.world.clock?.();
      return endOf((clock === undefined ? known : moveSharedResource(known, clock)).pause);
    },
  };
}
