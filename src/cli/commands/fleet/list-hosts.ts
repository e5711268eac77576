import type { System } from "../../../main.ts";
import { homeAddress } from "../../../model/host/home-host.ts";
import type { HostRecord } from "../../../model/host/host-record.ts";
import { hostView, type HostView } from "../../../views/fleet/host-view.ts";

/** Hosts that share the store, with the runs that each works now; null where the store is a file of this machine. */
export async function listHosts({ ports: { journal } }: System): Promise<HostView[] | null> {
  if (journal.hosts === undefined) return null;
  const holders = await journal.holders();
  const runsOf = ({ facts }: HostRecord): number => {
    const owner = holders.find(({ address }) => address === homeAddress(facts))?.owner.id;
    return holders.filter((one) => one.owner.id === owner && !one.address.includes(":")).length;
  };
  return (await journal.hosts.list()).map((record) => hostView(record, runsOf(record)));
}
