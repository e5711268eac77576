import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { Fault } from "../../../model/fault.ts";

/**
 * Which store files this process has open.
 *
 * The one that closes a plain file descriptor of a database drops all locks that the process holds on it (POSIX), and
 * another process could then take the log away under an open connection. So a file is inspected with plain reads
 * only while no connection of this process is open on it; the first one was inspected, and that suffices.
 *
 * All uses of a file share one descriptor, opened with the first use and closed with the last: each use begins before
 * its connection is opened and ends after it is closed, so that closing the descriptor finds no lock to drop.
 */
const uses = new Map<string, OpenFile>();

interface OpenFile {
  readonly fd: number;
  users: number;
}

export interface FileUse {
  /** False once no name leads to the file any more: it was deleted, or another one was renamed over it. */
  isNamed(): boolean;
  /** Bytes of the file from a position on, over the one descriptor. */
  read(into: Buffer, at: number): number;
  end(): void;
}

/** The same for every path that leads to a file; null if there is none. */
const identityOf = (file: string): string | null => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : `${String(found.dev)}:${String(found.ino)}`;
};

export const isInUse = (file: string): boolean => uses.has(identityOf(file) ?? "");

/** Notes one more use of an existing file. */
export function use(file: string): FileUse {
  const key = identityOf(file) ?? "";
  const open = uses.get(key) ?? { fd: openSync(file, "r"), users: 0 };
  open.users += 1;
  uses.set(key, open);
  return {
    isNamed: () => fstatSync(open.fd).nlink > 0,
    read: (into, at) => readSync(open.fd, into, 0, into.length, at),
    end() {
      open.users -= 1;
      if (open.users > 0) return;
      uses.delete(key);
      closeSync(open.fd);
    },
  };
}

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
