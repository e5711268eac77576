/** `holdfast/langgraph`: Holdfast as LangGraph's checkpointer. */
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  maxChannelVersion,
  TASKS,
  WRITES_IDX_MAP,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { Fault } from "../../model/fault.ts";
import { hostSettingsSchema } from "../../model/settings/settings.ts";
import { openStore } from "../../open-store.ts";
import { worldHere } from "../../real-world.ts";
import { Leases } from "../../runtime/leases.ts";
import {
  type KnownCheckpoint,
  pack,
  packedSince,
  type PutRecord,
  type ThreadIndex,
  unpack,
} from "./thread-index.ts";
import { ThreadJournal, threadsOf, type ThreadPorts } from "./thread-journal.ts";

export interface HoldfastSaverOptions {
  /** `sqlite:PATH`, `postgres://…`, or `memory:`. */
  readonly store: string;
}

/** Threads kept in memory; others are read again when they are asked for. */
const THREADS_MAX = 200;

/**
 * Keeps LangGraph's checkpoints in Holdfast's journal: on disk before `put` answers, chained by hashes, one writer per
 * thread, taken over at once from a process that died. A channel is stored as what changed in it.
 */
export class HoldfastSaver extends BaseCheckpointSaver {
  readonly #ports: ThreadPorts;
  readonly #threads = new Map<string, ThreadJournal>();
  #cancelBeat: () => void = () => undefined;

  private constructor(ports: ThreadPorts, beatMs: number) {
    super();
    this.#ports = ports;
    this.#beat(beatMs);
  }

  static async open({ store }: HoldfastSaverOptions): Promise<HoldfastSaver> {
    const world = worldHere();
    const { journal } = await openStore(store, world);
    const leaseMs = hostSettingsSchema.parse({}).lease.ms;
    return new HoldfastSaver({ journal, world, leases: new Leases(journal, world, leaseMs) }, leaseMs / 3);
  }

  /** Lets go of every thread and of the store. */
  async close(): Promise<void> {
    this.#cancelBeat();
    for (const thread of this.#threads.values()) await thread.release();
    await this.#ports.journal.close();
  }

  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread, ns, id } = placeOf(config);
    if (thread === undefined) return undefined;
    const index = await this.#thread(thread).read();
    const known = id === undefined ? index.checkpoints(ns)[0] : index.checkpoint(ns, id);
    return known === undefined ? undefined : this.#tuple(thread, index, known);
  }

  async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread } = placeOf(config);
    const ns = config.configurable?.["checkpoint_ns"] as string | undefined;
    const before = options.before === undefined ? undefined : placeOf(options.before).id;
    let left = options.limit ?? Infinity;
    for (const name of thread === undefined ? await threadsOf(this.#ports.journal) : [thread]) {
      const index = await this.#thread(name).read();
      for (const known of index.checkpoints(ns)) {
        if (left <= 0) return;
        if (before !== undefined && known.id >= before) continue;
        const tuple = await this.#tuple(name, index, known);
        if (!matches(tuple.metadata, options.filter)) continue;
        left -= 1;
        yield tuple;
      }
    }
  }

  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { thread, ns, id: parent } = placeOf(config);
    if (thread === undefined) throw missing("thread_id", "put");
    const { channel_values: values, ...bare } = checkpoint;
    const changed = Object.entries(newVersions).filter(([channel]) => Object.hasOwn(values, channel));
    const packed = await Promise.all(
      changed.map(async ([channel, version]) => ({
        channel,
        version: String(version),
        value: await pack(this.serde, values[channel]),
      })),
    );
    const record = {
      kind: "put",
      ns,
      id: checkpoint.id,
      parent: parent ?? null,
      checkpoint: await pack(this.serde, bare),
      metadata: await pack(this.serde, metadata),
    } as const;
    await this.#thread(thread).write((index): PutRecord => {
      const before = parent === undefined ? {} : versionsOf(index.checkpoint(ns, parent));
      const stored = packed.map(({ channel, version, value }) => {
        const since = before[channel];
        const base = since === undefined ? undefined : index.value(ns, channel, since);
        return [channel, { version, value: packedSince(value, since, base) }] as const;
      });
      return { ...record, values: Object.fromEntries(stored) };
    });
    return configOf(thread, ns, checkpoint.id);
  }

  async putWrites(config: RunnableConfig, writes: PendingWrite[], task: string): Promise<void> {
    const { thread, ns, id } = placeOf(config);
    if (thread === undefined) throw missing("thread_id", "putWrites");
    if (id === undefined) throw missing("checkpoint_id", "putWrites");
    const packed = await Promise.all(
      writes.map(async ([channel, value], at) => ({
        index: WRITES_IDX_MAP[channel] ?? at,
        channel,
        value: await pack(this.serde, value),
      })),
    );
    const replaces = writes.every(([channel]) => channel in WRITES_IDX_MAP);
    await this.#thread(thread).write(() => ({ kind: "writes", ns, id, task, writes: packed, replaces }));
  }

  async deleteThread(thread: string): Promise<void> {
    await this.#thread(thread).remove();
    this.#threads.delete(thread);
  }

  async #tuple(thread: string, index: ThreadIndex, known: KnownCheckpoint): Promise<CheckpointTuple> {
    const { ns, id, parent } = known;
    const bare = (await unpack(this.serde, known.checkpoint)) as Omit<Checkpoint, "channel_values">;
    const checkpoint: Checkpoint = { ...bare, channel_values: {} };
    for (const [channel, version] of Object.entries(checkpoint.channel_versions)) {
      const value = index.value(ns, channel, String(version));
      if (value !== undefined) checkpoint.channel_values[channel] = await unpack(this.serde, value);
    }
    if (checkpoint.v < 4 && parent !== null) await this.#migrateSends(checkpoint, index, ns, parent);
    return {
      config: configOf(thread, ns, id),
      checkpoint,
      metadata: (await unpack(this.serde, known.metadata)) as CheckpointMetadata,
      ...(parent === null ? {} : { parentConfig: configOf(thread, ns, parent) }),
      pendingWrites: await this.#writes(index, ns, id),
    };
  }

  async #writes(index: ThreadIndex, ns: string, id: string): Promise<CheckpointPendingWrite[]> {
    return Promise.all(
      index
        .writes(ns, id)
        .map(async ({ task, channel, value }): Promise<CheckpointPendingWrite> => [
          task,
          channel,
          await unpack(this.serde, value),
        ]),
    );
  }

  /** Before version 4 of the format, what a checkpoint sends stood among the writes of its parent. */
  async #migrateSends(checkpoint: Checkpoint, index: ThreadIndex, ns: string, parent: string): Promise<void> {
    const sends = (await this.#writes(index, ns, parent)).filter(([, channel]) => channel === TASKS);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_values[TASKS] = sends.map(([, , value]) => value);
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }

  #thread(name: string): ThreadJournal {
    const thread = this.#threads.get(name) ?? new ThreadJournal(this.#ports, name);
    this.#threads.delete(name);
    this.#threads.set(name, thread);
    for (const [oldest, idle] of this.#threads) {
      if (this.#threads.size <= THREADS_MAX) break;
      this.#threads.delete(oldest);
      idle.release().catch(() => undefined);
    }
    return thread;
  }

  #beat(everyMs: number): void {
    this.#cancelBeat = this.#ports.world.timer(everyMs, () => {
      this.#ports.leases.beat().catch(() => undefined);
      this.#beat(everyMs);
    });
  }
}

interface Place {
  readonly thread: string | undefined;
  readonly ns: string;
  readonly id: string | undefined;
}

function placeOf({ configurable = {} }: RunnableConfig): Place {
  const text = (name: string): string | undefined => {
    const value = configurable[name];
    if (typeof value === "number") return String(value);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  return { thread: text("thread_id"), ns: text("checkpoint_ns") ?? "", id: text("checkpoint_id") };
}

const configOf = (thread: string, ns: string, id: string): RunnableConfig => ({
  configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id },
});

const missing = (name: string, call: string): Fault =>
  new Fault("usage", `${call} needs config.configurable.${name}; give it when the graph is invoked`);

const versionsOf = (known: KnownCheckpoint | undefined): Record<string, string> => {
  if (known === undefined || !("json" in known.checkpoint)) return {};
  const { channel_versions: versions } = known.checkpoint.json as { channel_versions: ChannelVersions };
  return Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, String(version)]));
};

const matches = (metadata: object | undefined, filter: Record<string, unknown> = {}): boolean =>
  Object.entries(filter).every(
    ([name, wanted]) =>
      wanted === undefined ||
      JSON.stringify((metadata as Record<string, unknown> | undefined)?.[name]) === JSON.stringify(wanted),
  );
