import { Fault } from "../../../model/fault.ts";
import { identityOf, type FileUse } from "./files-in-use.ts";

/**
 * Throws once the store's file is not the one any more that was opened. SQLite continues to write into a file that was
 * deleted: everything would be acknowledged, and nothing kept.
 *
 * Before every commit the descriptor says whether the file still has a name, which costs a fraction of finding it by
 * its path. A file that was moved elsewhere keeps what is written to it; that is found by its path, once in a turn of
 * the event loop.
 */
export function sameFile(file: string, opened: Pick<FileUse, "isNamed">): () => void {
  const identity = identityOf(file);
  let foundThisTurn = false;
  const turnEnded = (): void => void (foundThisTurn = false);
  return () => {
    const isNamed = opened.isNamed();
    if (isNamed && foundThisTurn) return;
    const found = identityOf(file);
    if (isNamed && found === identity) {
      foundThisTurn = true;
      setImmediate(turnEnded).unref();
      return;
    }
    const what = found === null ? "deleted" : "replaced by another file";
    throw new Fault(
      "store_gone",
      `the store ${file} was ${what} while it was open; nothing more is recorded, and nothing more is done — bring it back from a copy, or start with a new one`,
      { retry: "after-human", details: { file, what } },
    );
  };
}
