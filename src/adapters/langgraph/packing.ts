import { diffState } from "../../model/values/state-patch.ts";
import type { Packed, PackedValue } from "./thread-index.ts";

interface Serializer {
  dumpsTyped(data: unknown): Promise<[string, Uint8Array]>;
  loadsTyped(type: string, data: Uint8Array | string): Promise<unknown>;
}

/** LangGraph's serializer decides how a value is written; JSON stays readable in the journal. */
export async function pack(serde: Serializer, value: unknown): Promise<Packed> {
  const [type, bytes] = await serde.dumpsTyped(value);
  const buffer = Buffer.from(bytes);
  if (type === "json") return { json: JSON.parse(buffer.toString("utf8")) as unknown };
  return { type, base64: buffer.toString("base64") };
}

export const unpack = (serde: Serializer, packed: Packed): Promise<unknown> =>
  "json" in packed
    ? serde.loadsTyped("json", JSON.stringify(packed.json))
    : serde.loadsTyped(packed.type, Buffer.from(packed.base64, "base64"));

/** What changed since a version that is stored already: a list that grows by a message costs that message. */
export function packedSince(value: Packed, since: string | undefined, base: Packed | undefined): PackedValue {
  if (since === undefined || base === undefined || !("json" in base) || !("json" in value)) return value;
  return { since, patch: diffState(base.json, value.json) };
}
