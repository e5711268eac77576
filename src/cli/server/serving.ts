import type { Caller } from "../caller.ts";
import type { Surroundings } from "../shell/surroundings.ts";
import type { Operations, System } from "../../main.ts";
import type { Principal, RequestProof } from "../../model/requests/principal.ts";

type Order = Parameters<Operations["perform"]>[0];
export type Once = Order["once"];

/** For whom a server performs a command, and on what. */
export interface Serving {
  /** Open for as long as the server lives. */
  readonly system: System;
  readonly caller: Caller;
  /** What one has signed who approves from afar. */
  readonly proof: RequestProof | undefined;
  /** In the place of standard input. */
  readonly input: string;
  /** What makes it harmless to begin the command again. */
  readonly once: Once;
  /** The id of the next request of this command: the key that was named, and then ones that are made of it. */
  nextRequest(): { readonly requestId?: string };
}

export function requestIds(first: string | null): Serving["nextRequest"] {
  let count = 0;
  return () => {
    if (first === null) return {};
    count += 1;
    return { requestId: count === 1 ? first : `${first}.${String(count)}` };
  };
}

/** Makes what performs commands inside of a server; lent to the commands that serve, since it knows all commands. */
export type MakePerformer = (on: {
  readonly system: System;
  readonly surroundings: Surroundings;
  /** The store by its address, as it was named for the server. */
  readonly store: string | undefined;
}) => Operations["perform"];

/** A name that a token was given says no more than a name that somebody types: nothing is proved by it. */
export function callerOf({ by, via, agent }: Parameters<Operations["perform"]>[0]["asker"]): Caller {
  if (agent === null) return { by, principal: { kind: "person", name: by, proof: "none", via } };
  const { run, attempt, proof } = agent;
  const name = `agent:${run === null ? "" : `${run}/`}${attempt}`;
  const principal: Principal = { kind: "agent", name, proof, attempt, via, ...(run === null ? {} : { run }) };
  return { by: name, principal };
}
