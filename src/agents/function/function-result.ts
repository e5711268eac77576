import { errorText } from "../../model/fault.ts";
import { toExcerpt, type Signal } from "../../model/agent/signals.ts";
import { jsonText } from "../to-signal.ts";

/** Results are journaled; what is larger belongs into a file, and its path into the result. */
export const RESULT_CHARS_MAX = 1024 * 1024;

/** The last signals of a function that returned: its result as it will be read back from the journal, or why it cannot be. */
export function signalsOfReturn(value: unknown): readonly Signal[] {
  // Nothing returned is nothing claimed: whether something was done its files or its checks must show.
  if (value === undefined) return [exitWith(0)];
  const encoded = encode(value);
  if (encoded.kind === "failed")
    return [{ kind: "error", text: toExcerpt(encoded.text), terminal: false }, exitWith(1)];
  const text = toExcerpt(typeof value === "string" ? value : encoded.json);
  return [{ kind: "result", ok: true, text, value: JSON.parse(encoded.json) as unknown }, exitWith(0)];
}

export function signalsOfThrow(thrown: unknown): readonly Signal[] {
  const terminal =
    typeof thrown === "object" && thrown !== null && "terminal" in thrown && thrown.terminal === true;
  const text = thrown instanceof Error ? thrown.message : jsonText(thrown);
  return [
    { kind: "error", text: toExcerpt(text === "" ? "an error without a message" : text), terminal },
    exitWith(1),
  ];
}

type Encoded =
  { readonly kind: "json"; readonly json: string } | { readonly kind: "failed"; readonly text: string };

function encode(value: unknown): Encoded {
  try {
    // Typed as text, but a function or a symbol gives undefined.
    const json = JSON.stringify(value) as string | undefined;
    if (json === undefined) return { kind: "failed", text: unfit(`a ${typeof value}`) };
    if (json.length <= RESULT_CHARS_MAX) return { kind: "json", json };
    return { kind: "failed", text: unfit(`${String(json.length)} characters of JSON`) };
  } catch (error) {
    return { kind: "failed", text: unfit(errorText(error)) };
  }
}

const unfit = (seen: string): string =>
  `the result of the function cannot be recorded: ${seen}; expected a JSON value of at most ` +
  `${String(RESULT_CHARS_MAX)} characters (return the path of a file instead)`;

const exitWith = (code: number): Signal => ({ kind: "exit", how: "code", code });
