import { statSync } from "node:fs";

/**
 * Which store files this process has open.
 *
 * Whoever closes a plain file descriptor of a database drops all locks that the process holds on it (POSIX), and
 * another process could then take the log away under an open connection. So a file is inspected with plain reads
 * only while no connection of this process is open on it; the first one was inspected, and that suffices.
 */
const uses = new Map<string, number>();

/** The same for every path that leads to a file; null if there is none. */
const identity = (file: string): string | null => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : `${String(found.dev)}:${String(found.ino)}`;
};

export const isInUse = (file: string): boolean => uses.has(identity(file) ?? "");

/** Notes one more use of an existing file; the function given back ends it. */
export function use(file: string): () => void {
  const key = identity(file) ?? "";
  uses.set(key, (uses.get(key) ?? 0) + 1);
  return () => {
    const left = (uses.get(key) ?? 1) - 1;
    if (left === 0) uses.delete(key);
    else uses.set(key, left);
  };
}
