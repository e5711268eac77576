import { createHash } from "node:crypto";

/** Stands for a whole text wherever only an excerpt is kept: equal texts have equal digests. */
export const textDigest = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 32);
