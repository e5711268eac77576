import {
  type ByteSource,
  type Frame,
  isPageSize,
  parseWalHeader,
  WAL_HEADER_BYTES,
  walFrames,
  type WalHeader,
  type WalSum,
} from "./wal-format.ts";

const FRAMES_AT_ONCE = 64;

/** What a write-ahead log holds, and whether SQLite would silently drop committed frames of it. */
export interface WalScan {
  /**
   * `doubtful`: behind the bad frame stands one whole transaction and nothing after it. Either it is the last one
   * of a machine that lost power while writing it, or one that was acknowledged and then damaged; only the
   * acknowledged mark can show.
   */
  readonly verdict: "sound" | "doubtful" | "damaged";
  /** The generation of the log; null when there is no sound header. */
  readonly salts: string | null;
  /** What SQLite will read: whole transactions, valid from the beginning. */
  readonly committed: CommittedFrames;
  /** The frame at which validity ends although more was written behind it; frame 0 is the header. */
  readonly bad: { readonly frame: number; readonly offset: number } | null;
}

export interface CommittedFrames {
  readonly frames: number;
  /** Pages of the database as the last commit says; 0 without a commit. */
  readonly pagesAfter: number;
  readonly pages: ReadonlySet<number>;
}

const NOTHING: CommittedFrames = { frames: 0, pagesAfter: 0, pages: new Set() };

/**
 * Reads a log as SQLite does, and on behind the place where SQLite stops.
 *
 * A transaction cut off by a kill leaves frames without a commit among them, also behind a later and shorter
 * transaction that overwrote its beginning: they are a torn tail. A valid commit behind a bad frame is not.
 */
export function scanWal(source: ByteSource, databasePageSize: number): WalScan {
  const head = source.read(0, WAL_HEADER_BYTES);
  if (head.length < WAL_HEADER_BYTES) {
    return { verdict: "sound", salts: null, committed: NOTHING, bad: null };
  }
  const header = parseWalHeader(head);
  return header.sound ? scanFrames(source, header) : scanBehindBadHeader(source, header, databasePageSize);
}

function scanFrames(source: ByteSource, header: WalHeader): WalScan {
  const prefix = new Prefix(header.salts);
  const tail = new Tail(header.salts);
  let bad: Frame | null = null;
  for (const frame of framesOf(source, header, header.stored)) {
    if (bad === null && prefix.takes(frame)) continue;
    bad ??= frame;
    tail.sees(frame, bad);
  }
  const verdict = tail.verdict();
  return {
    verdict,
    salts: header.salts,
    committed: prefix.committed(),
    bad: bad === null || verdict === "sound" ? null : { frame: bad.number, offset: bad.offset },
  };
}

function framesOf(source: ByteSource, header: WalHeader, before: WalSum): Generator<Frame> {
  const { pageSize, bigEndianSums, sound } = header;
  const salts = sound ? header.salts : null;
  return walFrames(source, { pageSize, bigEndianSums, first: 1, before, salts, chunk: FRAMES_AT_ONCE });
}

/** The frames from the beginning, each continuing the one before: what SQLite accepts. */
class Prefix {
  readonly #salts: string;
  readonly #pages = new Set<number>();
  #open: number[] = [];
  #frames = 0;
  #pagesAfter = 0;

  constructor(salts: string) {
    this.#salts = salts;
  }

  takes(frame: Frame): boolean {
    if (!frame.follows || frame.salts !== this.#salts || frame.page === 0) return false;
    this.#open.push(frame.page);
    if (frame.pagesAfter === 0) return true;
    for (const page of this.#open) this.#pages.add(page);
    this.#open = [];
    this.#frames = frame.number;
    this.#pagesAfter = frame.pagesAfter;
    return true;
  }

  committed(): CommittedFrames {
    return { frames: this.#frames, pagesAfter: this.#pagesAfter, pages: this.#pages };
  }
}

/** What stands behind the first bad frame, in the same generation. */
class Tail {
  readonly #salts: string;
  #validCommits = 0;
  #badFrameCommits = false;
  #commitJustSeen = false;
  #wentOn = false;

  constructor(salts: string) {
    this.#salts = salts;
  }

  sees(frame: Frame, bad: Frame): void {
    const ours = frame.salts === this.#salts && frame.page !== 0;
    if (frame === bad) {
      this.#badFrameCommits = ours && frame.pagesAfter !== 0;
      return;
    }
    const valid = ours && frame.follows;
    if (valid && this.#commitJustSeen) this.#wentOn = true;
    this.#commitJustSeen = valid && frame.pagesAfter !== 0;
    if (this.#commitJustSeen) this.#validCommits++;
  }

  /** The next transaction is written only after the one before it reached the disk: two of them are no torn tail. */
  verdict(): WalScan["verdict"] {
    if (this.#validCommits === 0) return "sound";
    const transactions = this.#validCommits + (this.#badFrameCommits ? 1 : 0);
    return transactions > 1 || this.#wentOn ? "damaged" : "doubtful";
  }
}

/** SQLite takes a log with a bad header for an empty one. It is empty only if no frames behind it agree. */
function scanBehindBadHeader(source: ByteSource, header: WalHeader, databasePageSize: number): WalScan {
  const sizes = new Set([databasePageSize, header.pageSize].filter(isPageSize));
  for (const pageSize of sizes) {
    for (const bigEndianSums of [false, true]) {
      for (const before of [header.stored, header.computed]) {
        if (holdsCommit(framesOf(source, { ...header, pageSize, bigEndianSums }, before))) {
          return { verdict: "damaged", salts: null, committed: NOTHING, bad: { frame: 0, offset: 0 } };
        }
      }
    }
  }
  return { verdict: "sound", salts: null, committed: NOTHING, bad: null };
}

function holdsCommit(frames: Iterable<Frame>): boolean {
  for (const frame of frames) {
    if (frame.follows && frame.page !== 0 && frame.pagesAfter !== 0) return true;
  }
  return false;
}
