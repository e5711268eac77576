type Texts =
  | ("status" | "repo" | "blockedBy" | "format" | "note" | "digest" | "for" | "step" | "agent" | "as" | "in")
  | ("done" | "to" | "reason" | "message" | "resolution" | "dropped" | "flow" | "plan" | "budget" | "timeout")
  | ("reviewer" | "approve" | "id" | "out" | "role" | "expires" | "cursor")
  | ("source" | "name" | "concurrency" | "onBlocked" | "onFailed" | "idle" | "vision" | "session")
  | ("mission" | "workstream" | "maxRetries" | "maxMissionRetries");
type Flags =
  | (
      | "stat"
      | "origin"
      | "dryRun"
      | "all"
      | "detach"
      | "stopAgents"
      | "now"
      | "cancel"
      | "again"
      | "repository"
    )
  | (
      | "acceptHead"
      | "asDone"
      | "drop"
      | "follow"
      | "raw"
      | "resume"
      | "worktree"
      | "inPlace"
      | "once"
      | "open"
      | "undo"
      | "wait"
      | "off"
      | "retry"
      | "autoRetry"
      | "continueOnFailure"
    );

/** Options as the parser gives them; those of one name in two commands have the types of both. */
export type CalledOptions = Readonly<
  Partial<Record<Texts, string>> &
    Partial<Record<Flags, boolean>> &
    Partial<Record<"diff" | "file" | "type" | "check" | "budgetBy", readonly string[]>> & {
      at?: string | number;
      since?: string | number;
    } & {
      lines?: number;
      olderThan?: number;
    }
>;

/** A parsed call: its arguments by place, and its options by name. */
export interface Called {
  readonly args: readonly (string | undefined)[];
  /** The words of a last argument that takes several. */
  readonly rest: readonly string[];
  /** Reading one takes it: what was given and is not taken is refused. */
  readonly options: CalledOptions;
}
