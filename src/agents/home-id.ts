import { mkdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { plainTextIfAny } from "../files/plain-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import type { HomeHost } from "../model/host/supervision.ts";
import type { World } from "../model/world.ts";

const ID = /^host_[0-9a-z]+$/;
const BYTES_MAX = 200;

/**
 * This host among those that share a store, by an id in a state folder: it is the same after a restart, and in the next
 * container that is given the folder. On disk: the file, made by the first process that needs it.
 */
export function homeHost(folder: string, world: Pick<World, "id">): () => HomeHost {
  let known: string | undefined;
  const file = path.join(folder, "host-id");
  const read = (): string | undefined => {
    const text = plainTextIfAny(file, { bytesMax: BYTES_MAX })?.trim();
    return text !== undefined && ID.test(text) ? text : undefined;
  };
  return () => ({ id: (known ??= read() ?? make(file, world.id("host"), read)), name: hostname() });
}

/** Of two that make it at once the first one has made it; what is there and cannot be read is replaced. */
function make(file: string, id: string, read: () => string | undefined): string {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, `${id}\n`, { flag: "wx", mode: 0o600, flush: true });
    return id;
  } catch {
    const other = read();
    if (other !== undefined) return other;
    replaceFile(file, `${id}\n`);
    return id;
  }
}
