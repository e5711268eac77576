import type { IncomingMessage } from "node:http";
import { Fault } from "../../model/fault.ts";
import type { Guard } from "../guard/guard.ts";
import type { Sessions } from "../guard/sessions.ts";
import type { TokenStore } from "../guard/token-store.ts";
import type { AnyRoute } from "../routes/define-route.ts";
import type { AgentAsker } from "../routes/asker.ts";
import type { Operations } from "../routes/handler-context.ts";
import type { DoOnce } from "./do-once.ts";
import type { EventHub } from "../stream/event-hub.ts";
import type { WebFiles } from "./web-files.ts";
import type { Tickets } from "../terminal/tickets.ts";

/** What all requests of one server share. */
export interface Served {
  readonly guard: Guard;
  readonly tokens: TokenStore;
  readonly sessions: Sessions;
  readonly tickets: Tickets;
  readonly operations: Operations;
  readonly hub: EventHub;
  readonly web: WebFiles;
  /** Of Holdfast: for command lines of another one. */
  readonly version: string;
  readonly url: string;
  /** Whether browsers reach it by TLS. */
  readonly isSecure: boolean;
  readonly limits: { readonly bodyMs: number };
  readonly inFlight: InFlight;
  readonly writes: DoOnce;
  readonly now: () => number;
  readonly note: (text: string) => void;
  /** The agent whose process has opened the connection, as far as the system reports. */
  readonly agentBehind: (request: IncomingMessage) => Promise<AgentAsker | null>;
  /** When somebody last asked for anything. */
  lastAskedAt: number;
}

/** How many requests are worked on at once; streams have a bound of their own. */
export interface InFlight {
  take<T>(route: AnyRoute, work: () => Promise<T>): Promise<T>;
}

const AT_ONCE_MAX = 256;

export function inFlight(): InFlight {
  let count = 0;
  return {
    async take(route, work) {
      if (route.sends === "stream") return work();
      if (count >= AT_ONCE_MAX)
        throw new Fault(
          "store_busy",
          `${String(count)} requests are open; expected at most ${String(AT_ONCE_MAX)}: ask again in a moment`,
          { retry: "later" },
        );
      count += 1;
      try {
        return await work();
      } finally {
        count -= 1;
      }
    },
  };
}
