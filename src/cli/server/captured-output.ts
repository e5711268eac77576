import { Fault } from "../../model/fault.ts";
import { Output, type Sink } from "../print/output.ts";

const CHARS_MAX = 64 * 1024 * 1024;
const RECORDS_MAX = 100_000;

/** What a command says, kept for who asked a server for it. */
export class CapturedOutput extends Output {
  readonly documents: unknown[] = [];
  readonly #out: string[];
  readonly #notes: string[];

  /** Of what comes in parts: where the next one begins. */
  cursor: string | null = null;
  readonly #isWhole: boolean;

  /** `columns`: people's text, so wide; null for documents. `isWhole`: what stdout would hold is kept beside them. */
  constructor(columns: number | null, isWhole = false) {
    const [out, notes] = [kept(columns), kept(columns)];
    super({ json: columns === null, stdout: out.sink, stderr: notes.sink });
    this.#isWhole = isWhole;
    this.#out = out.texts;
    this.#notes = notes.texts;
  }

  get text(): string {
    return this.#out.join("");
  }

  get notes(): string {
    return this.#notes.join("");
  }

  override document(value: unknown): void {
    if (!this.json) return;
    if (this.#isWhole) super.document(value);
    else this.#keep(value);
  }

  override record(value: unknown): void {
    if (!this.json) return;
    if (this.#isWhole) super.record(value);
    else this.#keep(value);
  }

  override mark(cursor: string): void {
    this.cursor = cursor;
  }

  #keep(value: unknown): void {
    if (this.documents.length >= RECORDS_MAX) throw tooMuch();
    this.documents.push(value);
  }
}

function kept(columns: number | null): { readonly sink: Sink; readonly texts: string[] } {
  const texts: string[] = [];
  let chars = 0;
  const write = (text: string): boolean => {
    chars += text.length;
    if (chars > CHARS_MAX) throw tooMuch();
    texts.push(text);
    return true;
  };
  return { sink: { columns: columns ?? 80, write }, texts };
}

const tooMuch = (): Fault =>
  new Fault(
    "refused",
    "the answer is larger than a server sends at once; expected a smaller part: ask for pages of it",
  );
