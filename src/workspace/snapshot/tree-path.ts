import path from "node:path";

/**
 * Names in a tree need not be text. In memory a path is a string of bytes (one character each), so that every name can
 * be distinguished; in the journal it is text, and a path that is none is marked as bytes.
 */
const MARK = "bytes:";

export function textOfPath(bytes: string): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(bytes, "latin1"),
    );
    return text.startsWith(MARK) ? `${MARK}${bytes}` : text;
  } catch {
    return `${MARK}${bytes}`;
  }
}

export const pathOfText = (text: string): string =>
  text.startsWith(MARK) ? text.slice(MARK.length) : Buffer.from(text, "utf8").toString("latin1");

/** For calls of the file system. */
export const inTree = (tree: string, bytes: string): Buffer =>
  Buffer.concat([Buffer.from(`${path.resolve(tree)}/`), Buffer.from(bytes, "latin1")]);
