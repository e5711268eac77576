import type { World } from "../../../model/world.ts";
import type { Connect, Link, Statement } from "../link/link.ts";
import { type Leaving, patience, type PostgresTiming } from "../link/postgres-timing.ts";
import { isAway, isReadOnly, isUndone, outcomeUnknown } from "../postgres-fault.ts";
import type { Row } from "../../row-values.ts";
import type { StoreAddress } from "../link/store-address.ts";

/**
 * The one connection through which a handle changes the store.
 *
 * States: linked, or parted (before the first change, and after a link broke); closed. A parted writer connects
 * again when it has something to write.
 *
 * 1. Each change is one statement and one transaction: there is nothing half done that a lost connection leaves.
 * 2. If the answer to a change is lost, nobody is informed: the change is made again, over a new link, and says
 *    what is found. So each statement must be one that may be made twice, reported that it is made \`again\`.
 *    This holds although the first try may still be at work on the server, even for ever later: everything the second
 *    is answered (appended, a position passed, an epoch gone), the first cannot change any more.
 * 3. A server that stays away is waited for no longer than \`awayMs\`; then the outcome is a fault that says so.
 */
export interface Writer {
  run(make: (tries: Tries) => Statement): Promise<Answer>;
  close(): Promise<void>;
}

export interface Tries {
  /** An earlier try may have been carried out. */
  readonly again: boolean;
}

export interface Answer extends Tries {
  readonly rows: readonly Row[];
}

export interface ServerOptions {
  readonly connect: Connect;
  readonly address: StoreAddress;
  readonly timing: PostgresTiming;
  readonly world: World;
  readonly leaving: Leaving;
}

/** `first` is a link that stands already. */
export function storeWriter(options: ServerOptions, first: Link): Writer {
  const { connect, address, timing, world, leaving } = options;
  let link: Link | null = first;

  const linked = async (): Promise<Link> => {
    if (link === null || link.broken) link = await connect();
    return link;
  };
  const part = async (): Promise<void> => {
    const old = link;
    link = null;
    await old?.end();
  };

  return {
    async run(make) {
      const gaveUp = (cause: unknown, afterMs: number): Error => outcomeUnknown(cause, afterMs, address);
      const wait = patience({ timing, world, leaving, gaveUp });
      let again = false;
      for (;;) {
        let sent = false;
        try {
          const current = await linked();
          sent = true;
          return { rows: await current.run(make({ again })), again };
        } catch (error) {
          again ||= sent && isAway(error);
          // A server that has become a copy is left too: the name may lead to the new one by now.
          if (isAway(error) || isReadOnly(error)) await part();
          if (!isAway(error) && !isUndone(error)) throw error;
          await wait.pause(error);
        }
      }
    },
    close: part,
  };
}
