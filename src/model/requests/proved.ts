// Apart from the schemas of principals: the pages use it, and must not load the schema library.
import type { Principal } from "./principal.ts";

/** Whether a person has shown to be who they say. */
export const isProved = ({ kind, proof }: Pick<Principal, "kind" | "proof">): boolean =>
  kind === "person" && (proof === "passphrase" || proof === "token");

export const NOT_PROVEN = "principal not proven";

/** The name, and how far it can be relied on. */
export const principalText = ({ kind, name, proof }: Principal): string =>
  kind === "agent" ? name : `${name} (${isProved({ kind, proof }) ? `proved by ${proof}` : NOT_PROVEN})`;
