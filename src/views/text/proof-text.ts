// Apart from the views of gates: the pages show it, and load no rules for it.
import type { Proof } from "../../model/requests/principal.ts";
import { NOT_PROVEN } from "../../model/requests/proved.ts";

/** `proved by passphrase`, or that nobody has proved it; empty where no person was asked for it. */
export const proofText = (proof: Proof | null | undefined): string =>
  proof === null || proof === undefined
    ? ""
    : proof === "passphrase" || proof === "token"
      ? ` (proved by ${proof})`
      : ` (${NOT_PROVEN})`;
