import { patchState, type StatePatch } from "../../model/state-patch.ts";

/** A value as LangGraph's serializer gave it: JSON as it is, anything else by its type. */
export type Packed = { readonly json: unknown } | { readonly type: string; readonly base64: string };

/** A channel's value: whole, or as what changed since another version of it. */
export type PackedValue = Packed | { readonly since: string; readonly patch: StatePatch };

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
  readonly #values = new Map<string, Packed>();

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

  value(ns: string, channel: string, version: string): Packed | undefined {
    return this.#values.get(keyOf(ns, channel, version));
  }

  #applyPut(record: PutRecord): void {
    const { ns, id, parent, checkpoint, metadata } = record;
    this.#checkpoints.set(keyOf(ns, id), { ns, id, parent, checkpoint, metadata });
    for (const [channel, { version, value }] of Object.entries(record.values))
      this.#values.set(keyOf(ns, channel, version), this.#whole(ns, channel, value));
  }

  #whole(ns: string, channel: string, value: PackedValue): Packed {
    if (!("since" in value)) return value;
    const base = this.value(ns, channel, value.since);
    return { json: patchState(base !== undefined && "json" in base ? base.json : undefined, value.patch) };
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
