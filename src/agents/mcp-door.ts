/**
 * The door through which the agents of this host reach a store: a file that only its owner may read, with the store's
 * address and a key. An attempt's token is derived from the key, so it stands in no journal and need not be kept.
 *
 * 1. The file is made once, whole, and never changed: two that make it at once end up with one.
 * 2. A token speaks for one attempt of one run. It says nothing about whether that attempt is still at work.
 * 3. It distinguishes honest mistakes (a stale attempt, another run). A program of the same user could read the key.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readPlain, RECORD_BYTES_MAX } from "../files/plain-file.ts";
import { Fault } from "../model/fault.ts";

/** One attempt of one run. */
export interface Bearer {
  readonly run: string;
  readonly attempt: string;
}

export interface McpDoor {
  readonly file: string;
  readonly store: string;
  tokenOf(bearer: Bearer): string;
  /** Whether a token is that of the attempt it is shown for. */
  admits(bearer: Bearer, token: string): boolean;
}

interface DoorPaper {
  readonly store: string;
  readonly key: string;
}

const isPaper = (paper: unknown): paper is DoorPaper =>
  typeof paper === "object" &&
  paper !== null &&
  "store" in paper &&
  typeof paper.store === "string" &&
  "key" in paper &&
  typeof paper.key === "string" &&
  /^[0-9a-f]{64}$/.test(paper.key);

/** The door of a store on this host; made where there is none. */
export function openDoor(folder: string, store: string): McpDoor {
  const file = path.join(path.resolve(folder), `door-${digest(store)}.json`);
  try {
    return readDoor(file);
  } catch (error) {
    if (!(error instanceof Fault && error.code === "not_found")) throw error;
  }
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(8).toString("hex")}`;
  writeFileSync(draft, JSON.stringify({ store, key: randomBytes(32).toString("hex") }), { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    // Somebody else was first, and theirs counts.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readDoor(file);
}

export function readDoor(file: string): McpDoor {
  const { store, key } = parsed(file);
  const tokenOf = ({ run, attempt }: Bearer): string =>
    createHmac("sha256", key)
      .update(JSON.stringify([run, attempt]))
      .digest("hex");
  const admits = (bearer: Bearer, token: string): boolean => {
    const [own, shown] = [Buffer.from(tokenOf(bearer)), Buffer.from(token)];
    return own.length === shown.length && timingSafeEqual(own, shown);
  };
  return { file, store, tokenOf, admits };
}

function parsed(file: string): DoorPaper {
  const read = readPlain(file, { bytesMax: RECORD_BYTES_MAX });
  if (read.kind !== "read")
    throw new Fault(
      read.kind === "absent" ? "not_found" : "store_unavailable",
      `the door ${file}, by which agents reach their store, ${read.kind === "absent" ? "is not there; the next agent that is started makes a new one" : read.problem}`,
      { cause: read.kind === "absent" ? undefined : read.cause },
    );
  const paper = parseJson(read.bytes.toString("utf8"));
  if (isPaper(paper)) return paper;
  throw new Fault(
    "store_unavailable",
    `the door ${file}, by which agents reach their store, is damaged; remove it, and the next agent that is started makes a new one`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
