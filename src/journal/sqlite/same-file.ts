import { statSync } from "node:fs";
import { Fault } from "../../model/fault.ts";

const identityOf = (file: string): string | null => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : `${String(found.dev)}:${String(found.ino)}`;
};

/**
 * Throws once the store's file is not the one any more that was opened. SQLite goes on writing into a file that was
 * deleted: everything would be acknowledged, and nothing kept.
 */
export function sameFile(file: string): () => void {
  const opened = identityOf(file);
  return () => {
    const now = identityOf(file);
    if (now === opened) return;
    const what = now === null ? "deleted" : "replaced by another file";
    throw new Fault(
      "store_gone",
      `the store ${file} was ${what} while it was open; nothing more is recorded, and nothing more is done — bring it back from a copy, or start anew`,
      { retry: "after-human", details: { file, what } },
    );
  };
}
