import { Fault } from "../model/fault.ts";
import { GENESIS, type Blob, type StoredEvent } from "./chain.ts";
import {
  blobIn,
  eventIn,
  EXPORT_FORMAT,
  fitsHash,
  type ExportHead,
  type ExportHeader,
} from "./export-lines.ts";
import { LINE_BYTES_MAX, notAnExport, parseHeader, type TextLine } from "./export-header.ts";
import { placesIn } from "./large-values.ts";

/**
 * Checks the lines of an export one by one, and throws at the first that is not as it was written: what follows
 * cannot be assessed, since each event stands on the one before.
 *
 * States: before the header, among the events, after the closing line. Ending in any state but the last is damage.
 */
export interface ExportCheck {
  /** Null until the first line was taken. */
  readonly header: ExportHeader | null;
  /** The event in the line; null for header, large value and closing line. */
  take(line: TextLine): StoredEvent | null;
  /** To be called after the last line. */
  end(): void;
}

/** `name` is what the export is called in messages; `blob` receives every large value. */
export const exportCheck = (name: string, blob?: (blob: Blob) => void): ExportCheck => new Check(name, blob);

class Check implements ExportCheck {
  header: ExportHeader | null = null;
  readonly #name: string;
  #lines = 0;
  #closed = false;
  #last: ExportHead = { seq: 0, hash: GENESIS };
  readonly #blob: (blob: Blob) => void;
  readonly #digests = new Set<string>();

  constructor(name: string, blob: (blob: Blob) => void = () => undefined) {
    this.#name = name;
    this.#blob = blob;
  }

  take(line: TextLine): StoredEvent | null {
    this.#lines += 1;
    if (this.header === null) {
      this.header = parseHeader(this.#name, line);
      return null;
    }
    if (this.#closed) throw this.#damage("something follows the closing line");
    const value = this.#parse(line);
    if (Object.hasOwn(value, "end")) return this.#close(value, this.header);
    if (Object.hasOwn(value, "blob")) return this.#keep(value);
    return this.#event(value, this.header);
  }

  end(): void {
    if (this.header === null) throw notAnExport(this.#name, "it is empty");
    if (!this.#closed) throw this.#cutShort();
  }

  #parse(line: TextLine): Readonly<Record<string, unknown>> {
    if (line.kind === "too long")
      throw this.#damage(`the line is longer than ${String(LINE_BYTES_MAX)} bytes`);
    if (line.kind === "not text") throw this.#damage("the line is no UTF-8 text");
    try {
      const value: unknown = JSON.parse(line.text);
      if (typeof value === "object" && value !== null && !Array.isArray(value))
        return value as Record<string, unknown>;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      if (!line.ended) throw this.#cutShort();
    }
    throw this.#damage("the line is no JSON object");
  }

  #event(value: Readonly<Record<string, unknown>>, { run, head }: ExportHeader): StoredEvent {
    const event = this.#read(value);
    if (typeof event === "string") throw this.#damage(event);
    const seq = this.#last.seq + 1;
    if (seq > head.seq) throw this.#damage(`it follows event ${String(head.seq)}, the last by the header`);
    if (event.seq !== seq) throw this.#damage(misplaced(seq, event.seq));
    if (event.run !== run) throw this.#damage(`it belongs to another run than the header's "${run}"`);
    if (!fitsHash(this.#last.hash, event)) throw this.#damage("its content does not match its hash");
    const missing = placesIn(event.data).find(({ digest }) => !this.#digests.has(digest));
    if (missing !== undefined)
      throw this.#damage(`the large value ${missing.digest} that it names is missing`);
    this.#last = { seq, hash: event.hash };
    return event;
  }

  #keep(value: Readonly<Record<string, unknown>>): null {
    const blob = blobIn(value);
    if (typeof blob === "string") throw this.#damage(blob);
    this.#digests.add(blob.digest);
    this.#blob(blob);
    return null;
  }

  /** Data nested deeper than the stack bears was not written by us. */
  #read(value: Readonly<Record<string, unknown>>): StoredEvent | string {
    try {
      return eventIn(value);
    } catch (error) {
      if (error instanceof RangeError) return "its data is nested too deeply";
      throw error;
    }
  }

  #close(value: Readonly<Record<string, unknown>>, { run, head }: ExportHeader): null {
    const { end, run: of, seq, hash } = value;
    if (end !== EXPORT_FORMAT || of !== run || seq !== head.seq || hash !== head.hash)
      throw this.#damage("the closing line does not say what the header says");
    if (this.#last.seq !== head.seq)
      throw this.#damage(`the events end at ${String(this.#last.seq)} of ${String(head.seq)}`);
    if (this.#last.hash !== head.hash) throw this.#damage("the last event is not the one the header names");
    this.#closed = true;
    return null;
  }

  #damage(what: string): Fault {
    return this.#fault(what, `${this.#name} is damaged at ${this.#place()}: ${what}`);
  }

  #cutShort(): Fault {
    const { seq } = this.#last;
    const of = this.header?.head.seq ?? 0;
    const rest = seq === of ? "only its closing line is missing" : `${String(of - seq)} events are missing`;
    const what = `the export is cut short after event ${String(seq)} of ${String(of)}`;
    return this.#fault(what, `${this.#name}: ${what}; ${rest}`);
  }

  #place(): string {
    return this.#closed
      ? `line ${String(this.#lines)}`
      : `line ${String(this.#lines)}, event ${String(this.#last.seq + 1)}`;
  }

  #fault(what: string, message: string): Fault {
    const details = {
      file: this.#name,
      run: this.header?.run ?? null,
      line: this.#lines,
      seq: this.#closed ? null : this.#last.seq + 1,
      what,
    };
    const advice = "use another copy, or export the run again";
    return new Fault("journal_damaged", `${message} — ${advice}`, { retry: "after-human", details });
  }
}

const misplaced = (expected: number, found: number): string => {
  if (found <= expected) return `event ${String(found)} stands where event ${String(expected)} was expected`;
  if (found === expected + 1) return `event ${String(expected)} is missing`;
  return `events ${String(expected)} to ${String(found - 1)} are missing`;
};
