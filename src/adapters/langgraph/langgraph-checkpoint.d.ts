/**
 * What the saver uses of LangGraph's checkpoint package, which is the user's own (an optional peer): the build needs
 * its shape and not the package. `test/examples` compiles the saver against the real one.
 */
declare module "@langchain/core/runnables" {
  export interface RunnableConfig {
    configurable?: Record<string, unknown>;
  }
}

declare module "@langchain/langgraph-checkpoint" {
  import type { RunnableConfig } from "@langchain/core/runnables";

  interface SerializerProtocol {
    dumpsTyped(data: unknown): Promise<[string, Uint8Array]>;
    loadsTyped(type: string, data: Uint8Array | string): Promise<unknown>;
  }
  type ChannelVersion = number | string;
  export type ChannelVersions = Record<string, ChannelVersion>;
  export interface Checkpoint {
    v: number;
    id: string;
    ts: string;
    channel_values: Record<string, unknown>;
    channel_versions: ChannelVersions;
    versions_seen: Record<string, ChannelVersions>;
  }
  export type CheckpointMetadata = { source: string; step: number; parents: Record<string, string> };
  export type PendingWrite = [string, unknown];
  export type CheckpointPendingWrite = [string, ...PendingWrite];
  export interface CheckpointTuple {
    config: RunnableConfig;
    checkpoint: Checkpoint;
    metadata?: CheckpointMetadata;
    parentConfig?: RunnableConfig;
    pendingWrites?: CheckpointPendingWrite[];
  }
  export interface CheckpointListOptions {
    limit?: number;
    before?: RunnableConfig;
    filter?: Record<string, unknown>;
  }
  export abstract class BaseCheckpointSaver {
    serde: SerializerProtocol;
    getNextVersion(current: number | undefined): number;
  }
  export const WRITES_IDX_MAP: Record<string, number>;
  export const TASKS: string;
  export function maxChannelVersion(...versions: ChannelVersion[]): ChannelVersion;
}
