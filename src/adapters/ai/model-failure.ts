/** A failed call to a model, as it is recorded: the SDK decides by its kind whether to call again. */
export interface ModelFailure {
  readonly name: string;
  readonly message: string;
  /** The SDK knows its errors by symbols, not by classes. */
  readonly marks: readonly string[];
  readonly facts: Readonly<Record<string, unknown>>;
}

const FACT_CHARS_MAX = 16_384;
const MARK = "vercel.ai.error";

export function recordedFailure(error: unknown): ModelFailure {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), marks: [], facts: {} };
  const marks = Object.getOwnPropertySymbols(error)
    .map((symbol) => Symbol.keyFor(symbol) ?? "")
    .filter((mark) => mark.startsWith(MARK));
  const facts = Object.entries(error).filter(([, value]) => isData(value));
  return { name: error.name, message: error.message, marks, facts: Object.fromEntries(facts) };
}

/** The SDK reads headers, too: plain data is kept whole, as far as it is not too much. */
function isData(value: unknown): boolean {
  if (["string", "number", "boolean"].includes(typeof value)) return true;
  if (typeof value !== "object" || value === null) return false;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  const areTexts = isPlain && Object.values(value).every((one) => typeof one === "string");
  return areTexts && JSON.stringify(value).length <= FACT_CHARS_MAX;
}

export function restoredFailure({ name, message, marks, facts }: ModelFailure): Error {
  const error = Object.assign(new Error(message), facts, { name });
  for (const mark of marks) Object.defineProperty(error, Symbol.for(mark), { value: true });
  return error;
}
