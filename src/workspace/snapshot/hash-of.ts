import { createHash } from "node:crypto";

/** A name made of any text: for refs, folders and rows. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 40);
