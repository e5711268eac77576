import type { RunStatus } from "../../model/state/run-status.ts";
import type { StoreStop } from "../../model/host/store-resource.ts";
import type { Claimed } from "../load-run.ts";
import type { RoomNews } from "./store-room.ts";

export type SupervisorEnd =
  | { readonly kind: "asked"; readonly stopAgents: boolean }
  | { readonly kind: "idle" }
  | { readonly kind: "settled" }
  /** The store is stopped (`stop --all`), and nothing of what was owned here has a session left. */
  | { readonly kind: "stopped"; readonly stop: StoreStop };

export interface SupervisorOptions extends RoomNews {
  /** Work this run and no other, and end when it is at rest. */
  readonly only?: string;
  /** A lease the caller holds already (it has just created the run). */
  readonly held?: { readonly run: string; readonly epoch: number };
  /** Whether somebody wants this host to take nothing new. */
  readonly isDraining?: () => boolean;
  /** Whether a host is known to have no supervision any more. */
  readonly isHostGone?: (host: string) => boolean;
  /** Called when the store has answered a beat, and when that was sent. */
  readonly onBeat?: (sentMs: number) => void;
  /** With `only`: suspend what lives of the run, also while the store is stopped, and let it go. */
  readonly drains?: "stop_agents" | "store_stopped";
  /** End after so long without work; absent: never. */
  readonly idleExitMs?: number;
  /** Called with faults that concern one run only (a damaged journal); the run is left alone afterwards. */
  readonly onRunFault?: (run: string, fault: unknown) => void;
  /** Called with every run that is taken, and of where it stands when it is let go: for people who watch. */
  readonly onTaken?: (run: string, from: Claimed["from"]) => void;
  /** Called when files that people follow a run in could not be brought up to date; the run goes on. */
  readonly onMirrorFault?: (run: string, text: string) => void;
  readonly onLetGo?: (run: string, status: RunStatus) => void;
  /** Called each time its loop has come round without a fault: the sign of progress for the one that watches it. */
  readonly onRound?: () => void;
}
