import type { World } from "../../model/world.ts";
import type { SnapshotListing } from "./list-snapshot.ts";
import type { ProjectStore } from "./project-store.ts";
import type { TreeMemory } from "./tree-memory.ts";

/** What is at hand while one works on a project. */
export interface SnapshotHandle {
  readonly store: ProjectStore;
  readonly world: World;
  /** Of the trees that this process has looked at; thrown away whenever a snapshot fails. */
  readonly memories: Map<string, TreeMemory>;
  /** What snapshots hold, of those listed last: they never change. */
  readonly listings: Map<string, SnapshotListing>;
  /** How many files are compared here before git's index takes them. */
  readonly recentMax: number;
}
