import { createHash } from "node:crypto";
import { LONG_LIMIT_MS, runGit } from "../git/run-git.ts";

export interface StoredObject {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Objects by their names; one that is missing is left out; null where git gave up on a damaged one. */
export async function readObjects(
  gitDir: string,
  oids: readonly string[],
): Promise<Map<string, StoredObject> | null> {
  const found = new Map<string, StoredObject>();
  if (oids.length === 0) return found;
  const input = `${oids.join("\n")}\n`;
  const args = ["cat-file", "--batch"];
  const { code, output } = await runGit({ gitDir, input, args, answers: [1, 128], limitMs: LONG_LIMIT_MS });
  if (code !== 0) return null;
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(10, at);
    const [oid = "", type = "", size = ""] = output.toString("latin1", at, end).split(" ");
    at = end + 1;
    if (type === "missing") continue;
    found.set(oid, { type, bytes: output.subarray(at, at + Number(size)) });
    at += Number(size) + 1;
  }
  return found;
}

export const objectId = (type: string, bytes: Uint8Array): string =>
  createHash("sha1")
    .update(`${type} ${String(bytes.length)}\0`)
    .update(bytes)
    .digest("hex");
