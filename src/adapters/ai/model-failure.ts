/** A failed call to a model, as it is recorded: the SDK decides by its kind whether to call again. */
export interface ModelFailure {
  readonly name: string;
  readonly message: string;
  /** The SDK knows its errors by symbols, not by classes. */
  readonly marks: readonly string[];
  readonly facts: Readonly<Record<string, string | number | boolean>>;
}

const MARK = "vercel.ai.error";

export function recordedFailure(error: unknown): ModelFailure {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), marks: [], facts: {} };
  const marks = Object.getOwnPropertySymbols(error)
    .map((symbol) => Symbol.keyFor(symbol) ?? "")
    .filter((mark) => mark.startsWith(MARK));
  const facts = Object.entries(error).filter((entry): entry is [string, string | number | boolean] =>
    ["string", "number", "boolean"].includes(typeof entry[1]),
  );
  return { name: error.name, message: error.message, marks, facts: Object.fromEntries(facts) };
}

export function restoredFailure({ name, message, marks, facts }: ModelFailure): Error {
  const error = Object.assign(new Error(message), facts, { name });
  for (const mark of marks) Object.defineProperty(error, Symbol.for(mark), { value: true });
  return error;
}
