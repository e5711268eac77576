import { localTimes } from "./local-times.ts";
import { jsonText, printable } from "../../model/text/printable.ts";

/** The part of a standard stream that is used here. */
export interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): boolean;
}

interface OutputOptions {
  readonly json: boolean;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** `TERM`: a dumb terminal is written to as if it were a file. */
  readonly term?: string | undefined;
  /** `NO_COLOR`: anything in it asks for text without colours. */
  readonly noColor?: string | undefined;
}

/** Where a command's words go: people's text and documents to stdout, diagnostics to stderr. */
export class Output {
  readonly json: boolean;
  /** Whether a person watches stdout. */
  readonly live: boolean;
  readonly colour: boolean;
  readonly #stdout: Sink;
  readonly #stderr: Sink;
  #isRead = true;
  #whenUnread: () => void = () => process.exit(0);

  constructor({ json, stdout, stderr, term, noColor = "" }: OutputOptions) {
    this.json = json;
    this.live = !json && stdout.isTTY === true && term !== "dumb";
    this.colour = this.live && noColor === "";
    this.#stdout = stdout;
    this.#stderr = stderr;
  }

  get columns(): number {
    // Some terminals say 0, which is no width.
    return this.#stdout.columns || 80;
  }

  get rows(): number {
    return this.#stdout.rows || 24;
  }

  /** People's text, made harmless, with times as their clock shows them; nothing in JSON mode. */
  line(text = ""): void {
    this.verbatim(localTimes(text));
  }

  /** The same for what somebody else wrote: an agent's words, a file's lines. */
  verbatim(text: string): void {
    if (!this.json) this.product(`${printable(text)}\n`);
  }

  /** The one document of a command in JSON mode. */
  document(value: unknown): void {
    if (this.json) this.product(`${jsonText(value, 2)}\n`);
  }

  /** One line of a stream in JSON mode. */
  record(value: unknown): void {
    if (this.json) this.product(`${jsonText(value)}\n`);
  }

  /** Text as it is, in either mode: a script, a schema, terminal codes of our own. */
  product(text: string): void {
    if (this.#isRead) this.#stdout.write(text);
  }

  /** Notes where going on begins, for who asks for what comes in parts. */
  mark(_cursor: string): void {
    // The one that reads a terminal has it all.
  }

  /** Diagnostics. */
  note(text: string): void {
    this.#stderr.write(`${printable(localTimes(text))}\n`);
  }

  /** What to do when nobody reads stdout any more; otherwise the process ends at once. */
  onUnread(then: () => void): void {
    this.#whenUnread = then;
  }

  unread(): void {
    if (!this.#isRead) return;
    this.#isRead = false;
    this.#whenUnread();
  }
}

/** A reader that has gone away (`| head`, a terminal that was closed) wants no more: that is no error. */
export function watchReader(stream: NodeJS.WriteStream, unread: () => void): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
    unread();
  });
}

/** Answers when everything written so far has left the process, or cannot any more. */
export const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write("", () => resolve());
  });
