import type { decideContinuous } from "../decide/continuous/decide-continuous.ts";
import type { decide } from "../decide/decide.ts";
import type { AgentDriver, EndOutcome, HostFence } from "../agents/agent-driver.ts";
import type { InboxRow, Journal } from "../journal/journal.ts";
import type { Bindings, RunSource, Started } from "../model/flow/bindings.ts";
import type { AgentSpec } from "../model/flow/flow.ts";
import type { ContinuousSpec, EndedGoal, Goal, ReadIntake } from "../model/continuous/continuous-spec.ts";
import type { EventData } from "../model/events/events.ts";
import type { HandedOn } from "../model/mission/mission-events.ts";
import type { MissionSpec, Workstream } from "../model/mission/mission-spec.ts";
import type { HomeHost } from "../model/host/supervision.ts";
import type { HostFacts } from "../model/host/host-record.ts";
import type { FullDisk } from "../model/host/host-fault.ts";
import type { Principal } from "../model/requests/principal.ts";
import type { RunRequest } from "../model/requests/requests.ts";
import type { RunState } from "../model/state/run-state.ts";
import type { Notifier, PostJson } from "../notify/notifier.ts";
import type { Artifacts } from "../workspace/artifacts.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Guard } from "../workspace/guard.ts";
import type { Quality } from "../quality/quality.ts";
import type { HostSettings } from "../model/settings/settings.ts";
import type { World } from "../model/world.ts";
import type { DeathNotes } from "./supervisor/death-notes.ts";

export type Drivers = ReadonlyMap<AgentSpec["use"], AgentDriver>;

/** What runs need of a workspace: checkpoints, and a place to work in. */
export type Trees = Pick<
  Workspace,
  | "snapshot"
  | "look"
  | "restore"
  | "release"
  | "compare"
  | "countLines"
  | "head"
  | "compareCommits"
  | "placeFor"
  | "createWorktree"
  | "carry"
  | "removeWorktree"
  | "mendWorktree"
  | "commit"
  | "takeIn"
  | "beginMerge"
  | "overlaps"
  | "copyTree"
  | "propose"
  | "applyProposal"
  | "dropCopy"
  | "seal"
  | "openSeal"
  | "upload"
  | "download"
>;

/** A file in which an agent keeps a conversation: by the agent's own folder, and its path in it. */
export interface CarriedFile {
  readonly home: string;
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The conversations of agents, as files that can be brought to another host. */
export interface Conversations {
  read(
    spec: AgentSpec,
    id: string,
  ): Promise<{
    readonly files: readonly CarriedFile[];
    readonly left: readonly { readonly path: string; readonly why: string }[];
  }>;
  /** Whether the agent finds them here now. */
  bring(spec: AgentSpec, files: readonly CarriedFile[]): Promise<boolean>;
}

/** Reads who a row of the inbox is from; `proofPrincipal` of the journal's does it with signatures. */
export type ReadPrincipal = (
  row: InboxRow,
  request: RunRequest,
  run: Pick<RunState, "run" | "approverKeys">,
) => Principal;

/** What continuous sessions need of files that people write. */
export interface Goals {
  /** What the intake holds now. */
  read(spec: ContinuousSpec): Promise<ReadIntake>;
  /** Everything needed to create the run of a goal, by the configuration as it is now. */
  order(spec: ContinuousSpec, goal: Goal): Promise<EventData<"RunCreated">>;
  /** The same for the run in which a planner is asked for the next goals. */
  planOrder(spec: ContinuousSpec, goal: Goal, ended: readonly EndedGoal[]): Promise<EventData<"RunCreated">>;
}

/** A file of an earlier workstream, with its content where that is text of a reasonable length. */
export interface HandedText extends HandedOn {
  readonly isDecisions: boolean;
  readonly text: string | null;
}

/** What missions need of files that people write. */
export interface MissionOrders {
  /** Everything needed to create the run of a workstream, by the configuration of its repository as it is now. */
  order(
    spec: MissionSpec,
    workstream: Workstream,
    handed: readonly HandedText[],
  ): Promise<EventData<"RunCreated">>;
}

/** What the runtime is given: the world and the ports of the other ports. */
export interface Ports {
  readonly world: World;
  readonly journal: Journal;
  readonly drivers: Drivers;
  readonly quality: Quality;
  readonly notifier: Notifier;
  /** Posts to the addresses of hooks; absent: they cannot be reached. */
  readonly post?: PostJson;
  readonly guard: Guard;
  readonly workspace: Trees;
  readonly artifacts: Artifacts;
  /** Absent: where agents keep their conversations is not known. */
  readonly conversations?: Conversations;
  /** Reads who is to work what, in the files from which a run learned. */
  readonly bindings?: (source: RunSource) => Promise<Bindings>;
  /** What would be executed or obeyed now and nobody has trusted so, as text; absent: nothing is compared. */
  readonly trust?: (source: RunSource, started: Started) => string | null;
  /** Reads the intakes of continuous sessions; absent: nobody goes on with them here. */
  readonly goals?: Goals;
  /** Makes orders for the workstreams of missions; absent: nobody goes on with them here. */
  readonly missions?: MissionOrders;
  /** Looks at the repositories of missions; absent: they cannot be reached. */
  readonly repositories?: Pick<Workspace, "rehearse" | "layBranch" | "patch">;
  /** This host, by its state folder; absent where hosts do not share the store. */
  readonly home?: () => HomeHost;
  /** What this host says of itself to the others; absent where there are none. */
  readonly hostFacts?: () => Pick<
    HostFacts,
    "boot" | "version" | "agents" | "freeMemoryBytes" | "freeDiskBytes"
  >;
  /** Shows the guard of this host's agents who supervises them; absent where hosts do not share the store. */
  readonly fence?: HostFence;
  /** What a run needs here and does not find, by name; absent: nothing is looked for. */
  readonly missingContext?: (state: Readonly<RunState>) => readonly string[];
  /** Called with whether agents work now, so that the machine does not sleep meanwhile. */
  readonly awake?: { set(working: boolean): void };
  /** Those of the folders, and of what agents need beside them, whose disk is full; absent: nobody looks. */
  readonly fullDisks?: (folders: readonly string[]) => readonly FullDisk[];
  /** Knows in whose turn this process ends; absent: nobody notes it. */
  readonly deaths?: DeathNotes;
  /** The store, where commands given to people must name it. */
  readonly storeNamed?: string | null;
  /** Where the dashboard of the store is reached now; null or absent: it is not served here. */
  readonly dashboard?: (world: World) => string | null;
  /** Brings the files in which people follow a run up to date, and says what could not be; it looks at the state at once. */
  readonly mirror?: (state: Readonly<RunState>) => Promise<readonly string[]>;
  /** A folder with nothing of anybody's in it, for agents that are to look at nothing. */
  readonly idleFolder?: () => string;
  /** Places for copies of trees that are thrown away. */
  readonly cleanFolders?: {
    /** An empty folder; what an earlier try under this key has left is removed. */
    make(key: string): Promise<string>;
    remove(key: string): Promise<void>;
  };
  /** Sessions of this store on this host, as the system shows them, no matter what is recorded of them. */
  readonly sessionsHere?: {
    living(): readonly { readonly session: string; readonly pids: readonly number[] }[] | "unknown";
    end(session: string, graceMs: number): Promise<EndOutcome>;
  };
  /** Who a row of the inbox is from, by its signature; absent: nobody proves anything. */
  readonly principal?: ReadPrincipal | undefined;
  readonly settings: HostSettings;
  /** The decision function, where it is not the default: how the simulator injects a bug to see that it is found. */
  readonly decideWith?: typeof decide;
  /** The same for continuous sessions. */
  readonly judgeContinuous?: typeof decideContinuous;
}

export const pause = (world: World, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    world.timer(delayMs, resolve);
  });
