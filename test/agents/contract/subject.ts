import type { AgentDriver } from "../../../src/agents/agent-driver.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";

/** What the suite needs an agent to do. Each driver under test says how its agent is told. */
export type Part =
  /** Says something, uses a tool, appends one line to `work.log`, claims success. */
  | "works"
  /** Tells progress "1" to "60", ten milliseconds apart, then claims success. */
  | "counts"
  /** Tells progress "1" to "3000" as fast as it can, then claims success. */
  | "babbles"
  /** Appends one line to `work.log` and waits until it is ended. */
  | "hangs"
  /** The same, and ignores polite ends. */
  | "deaf"
  /** The same, with one child in its group and one in a session of its own. */
  | "family"
  /** Leaves such children behind and exits with 0. */
  | "orphans"
  /** Says "before", then things that are no signals, then "after". */
  | "garbage"
  /** Prints the beginning of a line, and its end 300 ms later; then another beginning, and exits. */
  | "half"
  /** Exits with 0 and says nothing. */
  | "silent"
  /** Tells an error and exits with 1. */
  | "fails"
  /** Exits with 3. */
  | "exits-3"
  /** Dies by SIGSEGV. */
  | "crashes"
  /** Does not exist. */
  | "missing";

export interface Subject {
  readonly name: string;
  /** Drivers opened on one folder, in whatever process, are about the same sessions. */
  open(folder: string): AgentDriver;
  specFor(part: Part, folder: string): AgentSpec;
  /** Tests that cannot hold for this driver: title and reason. */
  readonly exceptions: Readonly<Record<string, string>>;
  /** The module that exports this subject as `subject`, for processes that the suite starts. */
  readonly module: string;
  /** Kills a session so that nothing of it can tell how it ended. */
  vanish?(folder: string, session: string): Promise<void>;
  /** Makes the record of a session name this pid with another start time, as if the pid had been reused. */
  forge?(folder: string, session: string, pid: number): void;
}
