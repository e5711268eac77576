import { Fault } from "../model/fault.ts";

/** A value as the journal will give it back; what JSON cannot hold is an error that says where it came from. */
export function asJson<Value>(value: Value, what: string): Value {
  if (value === undefined) return value;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw notJson(what, cause instanceof Error ? cause.message : String(cause), cause);
  }
  if (text === undefined) throw notJson(what, `a ${typeof value} has no JSON form`);
  return JSON.parse(text) as Value;
}

const notJson = (what: string, why: string, cause?: unknown): Fault =>
  new Fault(
    "usage",
    `${what} cannot be recorded: ${why}; return plain data (objects, lists, texts, numbers, true, false, null)`,
    {
      cause,
    },
  );

/** Equal for equal inputs; short, so that a large input is not written twice. */
export function inputMark(input: unknown): string {
  const text = JSON.stringify(input) ?? "undefined";
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  return `${(high >>> 0).toString(16)}${(low >>> 0).toString(16)}-${String(text.length)}`;
}
