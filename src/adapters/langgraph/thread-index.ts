import { diffState, freezeDeep, patchState, type StatePatch } from "../../model/values/state-patch.ts";

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

/** A value as LangGraph's serializer gave it: JSON as it is, anything else by its type. */
export type Packed = { readonly json: unknown } | { readonly type: string; readonly base64: string };

/** A channel's value: whole, or as what changed since another version of it. */
type PackedValue = Packed | { readonly since: string; readonly patch: StatePatch };

export interface PutRecord {
  readonly kind: "put";
  readonly ns: string;
  readonly id: string;
  readonly parent: string | null;
  /** Without the values of its channels. */
  readonly checkpoint: Packed;
  readonly metadata: Packed;
  /** Values of the channels that changed, by channel; the version stands in the checkpoint. */
  readonly values: Readonly<Record<string, { readonly version: string; readonly value: PackedValue }>>;
}

export interface WritesRecord {
  readonly kind: "writes";
  readonly ns: string;
  readonly id: string;
  readonly task: string;
  readonly writes: readonly { readonly index: number; readonly channel: string; readonly value: Packed }[];
  /** Writes of the same task and index are replaced; otherwise the first ones stay. */
  readonly replaces: boolean;
}

export type ThreadRecord = PutRecord | WritesRecord;

export interface KnownCheckpoint {
  readonly ns: string;
  readonly id: string;
  readonly parent: string | null;
  readonly checkpoint: Packed;
  readonly metadata: Packed;
}

export interface KnownWrite {
  readonly task: string;
  readonly index: number;
  readonly channel: string;
  readonly value: Packed;
}

/** All that a thread's journal says, folded: what can be asked for without reading it again. */
export class ThreadIndex {
  /** The last event that is folded in. */
  seq = 0;
  readonly #checkpoints = new Map<string, KnownCheckpoint>();
  readonly #writes = new Map<string, Map<string, KnownWrite>>();
  /** As they are stored: keeping every version of a growing list whole would take its square. */
  readonly #values = new Map<string, PackedValue>();
  /** Of each channel, the version that was last put together. */
  readonly #latest = new Map<string, { readonly version: string; readonly json: unknown }>();

  apply(record: ThreadRecord): void {
    if (record.kind === "put") this.#applyPut(record);
    else this.#applyWrites(record);
  }

  /** Newest first, of one namespace or of all. */
  checkpoints(ns?: string): KnownCheckpoint[] {
    return [...this.#checkpoints.values()]
      .filter((known) => ns === undefined || known.ns === ns)
      .sort((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0));
  }

  checkpoint(ns: string, id: string): KnownCheckpoint | undefined {
    return this.#checkpoints.get(keyOf(ns, id));
  }

  writes(ns: string, id: string): KnownWrite[] {
    return [...(this.#writes.get(keyOf(ns, id))?.values() ?? [])];
  }

  /** A version of a channel, whole. */
  value(ns: string, channel: string, version: string): Packed | undefined {
    const latest = this.#latest.get(keyOf(ns, channel));
    const patches: StatePatch[] = [];
    let at = version;
    for (;;) {
      if (latest?.version === at) return this.#whole(keyOf(ns, channel), version, latest.json, patches);
      const stored = this.#values.get(keyOf(ns, channel, at));
      if (stored === undefined) return undefined;
      if ("since" in stored) {
        patches.unshift(stored.patch);
        at = stored.since;
      } else if ("json" in stored) {
        // Its own copy, which is patched in place.
        return this.#whole(keyOf(ns, channel), version, patchState(undefined, { set: stored.json }), patches);
      } else return stored;
    }
  }

  #whole(channel: string, version: string, base: unknown, patches: readonly StatePatch[]): Packed {
    const json = freezeDeep(patches.reduce(patchState, base));
    this.#latest.set(channel, { version, json });
    return { json };
  }

  #applyPut(record: PutRecord): void {
    const { ns, id, parent, checkpoint, metadata } = record;
    this.#checkpoints.set(keyOf(ns, id), { ns, id, parent, checkpoint, metadata });
    for (const [channel, { version, value }] of Object.entries(record.values))
      this.#values.set(keyOf(ns, channel, version), value);
  }

  #applyWrites({ ns, id, task, writes, replaces }: WritesRecord): void {
    const key = keyOf(ns, id);
    const known = this.#writes.get(key) ?? new Map<string, KnownWrite>();
    this.#writes.set(key, known);
    for (const write of writes) {
      const place = keyOf(task, String(write.index));
      if (replaces || !known.has(place)) known.set(place, { task, ...write });
    }
  }
}

const keyOf = (...parts: readonly string[]): string => JSON.stringify(parts);
