import type { Holder, Journal } from "../../journal/journal.ts";
import type { Restarts, SeenOwner, Supervision } from "../../model/host/supervision.ts";
import { supervisorAddress } from "./lost-hosts.ts";
import type { World } from "../../model/world.ts";

export interface SupervisionLook {
  readonly journal: Journal;
  readonly world: World;
  readonly leaseMs: number;
  /** When a process drew its id. */
  readonly drawnAt: (id: string) => number | null;
  readonly restarts?: () => Restarts | null;
}

/**
 * Who supervises which run, by one look at the store. A holder whose process is gone, or that gave no sign of life for
 * a whole lease by the store's own clock, is nobody: so a dead owner is shown as such at most one lease later, also
 * where its host cannot be asked. This only informs; leases are taken over by the rule of `Leases`.
 */
export async function lookAtSupervision(look: SupervisionLook): Promise<(run: string) => Supervision> {
  const holders = await look.journal.holders();
  const byAddress = new Map(holders.map((holder) => [holder.address, holder]));
  const own = supervisorAddress(look.world.self);
  const supervisors = holders
    .filter(({ address }) => address.startsWith("supervisor:"))
    .filter((holder) => isLive(look, holder))
    .sort((one, other) => Number(other.address === own) - Number(one.address === own));
  const watcher = supervisors[0] === undefined ? null : seen(look, supervisors[0]);
  const restarts = look.restarts?.() ?? undefined;
  const hosts = await look.journal.hosts?.list();
  return (run) => {
    const holder = byAddress.get(run);
    if (holder === undefined) return { owner: null, lost: null, watcher, restarts, hosts };
    const owner = seen(look, holder);
    return isLive(look, holder)
      ? { owner: { ...owner, epoch: holder.epoch }, lost: null, watcher, restarts, hosts }
      : { owner: null, lost: owner, watcher, restarts, hosts };
  };
}

const isLive = ({ world, leaseMs }: SupervisionLook, { owner, beatAgeMs }: Holder): boolean =>
  world.liveness(owner.process) !== "gone" && (beatAgeMs ?? 0) < leaseMs;

const seen = ({ drawnAt }: SupervisionLook, { owner, beatAgeMs }: Holder): SeenOwner => ({
  host: owner.process.host,
  pid: owner.process.pid,
  startedAt: drawnAt(owner.id),
  beatAgeMs,
});
