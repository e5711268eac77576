import type { Operations } from "../../main.ts";
import type { Principal } from "../../model/requests/principal.ts";
import type { Caller } from "../caller.ts";

type Asker = Parameters<Operations["perform"]>[0]["asker"];

/** A name that a token was given says no more than a name that somebody types: nothing is proved by it. */
export function callerOf({ by, via, agent }: Asker): Caller {
  if (agent === null) return { by, principal: { kind: "person", name: by, proof: "none", via } };
  const { run, attempt, proof } = agent;
  const name = `agent:${run === null ? "" : `${run}/`}${attempt}`;
  const principal: Principal = { kind: "agent", name, proof, attempt, via, ...(run === null ? {} : { run }) };
  return { by: name, principal };
}
