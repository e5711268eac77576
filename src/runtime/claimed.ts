import type { EventData } from "../model/events/events.ts";
import type { LoadedRun } from "./load-run.ts";

/** Why an owner let go. */
export type OwnerEnd =
  /** Nothing will happen by itself any more. */
  | { readonly kind: "at_rest" }
  /** It was told to stop; the run goes on with the next owner. */
  | { readonly kind: "let_go" }
  /** Somebody else owns the run. */
  | { readonly kind: "fenced" }
  /** Somebody wrote under our lease, or an answer was lost: fold anew. */
  | { readonly kind: "reload" };

/** A run that was claimed and folded. */
export interface Claimed extends LoadedRun {
  readonly epoch: number;
  readonly from: EventData<"RunClaimed">["from"];
  readonly owner: string;
  /** Its files are on another host, which is gone: nothing of it is touched here. */
  readonly away?: boolean;
  /** Told once if people's files of this run cannot be kept up to date. */
  readonly onMirrorFault?: (text: string) => void;
}
