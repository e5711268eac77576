import { lookup } from "node:dns/promises";
import { errorText } from "../model/fault.ts";
import type { World } from "../model/world.ts";
import { addressOfHost, isNeverReached, isPublicAddress, type Address } from "./address-guard.ts";

/** All addresses of a name; asked once for each try. */
export type Resolve = (hostname: string) => Promise<readonly Address[]>;

export interface Guarded {
  /** What is posted, for messages: webhook or hook. */
  readonly name: string;
  readonly allowPrivate: boolean;
  readonly limitMs: number;
}

/** A URL that may be posted to by what is written in it; names are resolved, and their addresses decided on, later. */
export function targetOf(text: string, guard: Guarded): { readonly url: URL } | { readonly problem: string } {
  const { name } = guard;
  const url = URL.parse(text);
  if (url === null) return { problem: `${name}: its url is no valid address; expected https://HOST/PATH` };
  const where = `${name} ${url.host}`;
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return { problem: `${where}: its url begins with ${url.protocol}; expected http: or https:` };
  if (url.username !== "" || url.password !== "")
    return {
      problem: `${where}: its url holds credentials; remove them${name === "webhook" ? ", and sign with secretEnv or secretFile" : ""}`,
    };
  const literal = addressOfHost(url.hostname);
  const closed = literal === undefined ? undefined : refusal(literal.address, guard);
  if (closed !== undefined) return { problem: `${where}: ${closed}` };
  return { url };
}

/** The only addresses that are connected to: resolved once, and refused together where one of them is. */
export async function addressesOf(
  { world, resolve = resolveAll }: { readonly world: World; readonly resolve?: Resolve },
  url: URL,
  guard: Guarded,
): Promise<{ readonly found: readonly Address[] } | { readonly problem: string }> {
  const literal = addressOfHost(url.hostname);
  if (literal !== undefined) return { found: [literal] };
  try {
    const found = await within(world, guard.limitMs, resolve(url.hostname));
    if (found === undefined)
      return { problem: `its name was not resolved within ${String(guard.limitMs)} ms` };
    if (found.length === 0) return { problem: "its name has no address" };
    const [closed] = found.flatMap(({ address }) => refusal(address, guard) ?? []);
    return closed === undefined ? { found } : { problem: closed };
  } catch (error) {
    return { problem: `its name could not be resolved: ${errorText(error)}` };
  }
}

const resolveAll: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }));

/** Why an address is not connected to; undefined where it is. */
function refusal(address: string, { allowPrivate }: Guarded): string | undefined {
  if (isPublicAddress(address)) return undefined;
  if (isNeverReached(address))
    return `its address ${address} is link-local, a metadata service or multicast, where notices are never sent; use another address`;
  return allowPrivate
    ? undefined
    : `its address ${address} is not public; set allowPrivate if it is meant to lead into this machine or network`;
}

const within = <T>(world: World, limitMs: number, awaited: Promise<T>): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const cancel = world.timer(limitMs, () => resolve(undefined));
    awaited.then(resolve, reject).finally(cancel);
  });
