import type { AgentCapabilities } from "../model/agent/kinds/agent-traits.ts";
import type { EnvironmentSettings } from "../model/settings/environment-settings.ts";
import type { AgentSpec } from "../model/flow/flow.ts";
import type { SandboxFacts } from "../model/settings/sandbox-settings.ts";
import type { Signal } from "../model/agent/signals.ts";
import type { Loss, SteadyTime } from "../model/world.ts";

/**
 * One way to run one kind of agent. The runtime asks nothing of a driver that its capabilities do not declare.
 *
 * Promises, proved by one contract suite for all drivers:
 * 1. `start` twice with one session key starts one agent, no matter who calls it, before or after a crash.
 * 2. `listen` from a cursor yields every signal after it exactly once, and `exit` as the last.
 * 3. `find` says `gone` only on evidence; a probe that failed is `unknown`.
 * 4. After `end` resolves with `ended`, nothing of the session is left running.
 * 5. What is sent under one key arrives at most once; where it is not known to have arrived, that is said.
 */
export interface AgentDriver {
  readonly use: AgentSpec["use"];
  readonly capabilities: AgentCapabilities;
  start(order: StartOrder): Promise<StartOutcome>;
  find(session: SessionRef): Promise<Finding>;
  /**
   * Calls `receive` with batches in order until `exit` was received or the listener is closed. `receive` answers when
   * it may go on; if it rejects, the listener is closed. Listening again after the exit yields the exit again.
   */
  listen(session: SessionRef, cursor: string, receive: (batch: SignalBatch) => Promise<void>): Listener;
  /** Says something to an agent at work (`steer: "live"`); never into a dialog, and it is seen to arrive. */
  send(session: SessionRef, message: Message): Promise<SendOutcome>;
  answer(session: SessionRef, answer: PermissionAnswer): Promise<SendOutcome>;
  /** Breaks off what the agent does just now, and leaves the session alive. */
  interrupt(session: SessionRef): Promise<SendOutcome>;
  /** Politely, then firmly after `graceMs`, as a whole process group. */
  end(session: SessionRef, graceMs: number): Promise<EndOutcome>;
  /**
   * The run belongs to another owner now. A session that outlives the supervisor goes on for that owner; one that
   * lives in this process is stopped and forgotten, so that it is gone if the run ever comes back here.
   */
  abandon(session: SessionRef): void;
  /** Lets go of everything held in this process; sessions that outlive the supervisor go on. */
  close(): Promise<void>;
}

/** Words for an agent at work. Under one key they arrive at most once, and whole, or not at all. */
export interface Message {
  readonly key: string;
  readonly text: string;
}

/** The answer to what an agent asked to be allowed. */
export interface PermissionAnswer {
  readonly key: string;
  readonly askId: string;
  readonly allow: boolean;
  readonly note?: string | undefined;
}

export type SendOutcome =
  | { readonly kind: "sent"; readonly detail: string }
  /** `terminal`: this agent can never receive it. */
  | { readonly kind: "failed"; readonly text: string; readonly terminal: boolean };

export interface SessionRef {
  readonly session: string;
  readonly spec: AgentSpec;
}

export interface StartOrder extends SessionRef {
  readonly run: string;
  readonly step: string;
  readonly attempt: string;
  readonly number: number;
  readonly task: string;
  readonly cwd: string;
  /** Names of variables that are not the agent's to know. */
  readonly withheld?: readonly string[] | undefined;
  /** What agents of this host inherit; the default list where left out. */
  readonly environment?: EnvironmentSettings | undefined;
  /** The conversation to go on with, instead of a new one. */
  readonly resume?: string | undefined;
  /** By how much its processes are to give way to others for the processor, as `nice` counts; not at all by default. */
  readonly nice?: number | undefined;
  /** Puts its program into a sandbox; absent where it gets none. */
  readonly enter?: EnterSandbox | undefined;
}

/** The program of a session as it is about to be started. */
export interface Entering {
  /** A folder of the session's own, which is removed with the session. */
  readonly own: string;
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files of the session that it is given to read. */
  readonly files: readonly string[];
}

/** Answers the words that start a program in a sandbox. */
export type EnterSandbox = (entering: Entering) => readonly [string, ...string[]];

export type StartOutcome =
  | { readonly kind: "started"; readonly detail: string; readonly sandbox?: SandboxFacts }
  /** `terminal`: trying again cannot help (the program or function does not exist). */
  | { readonly kind: "failed"; readonly text: string; readonly terminal: boolean };

/**
 * About the agent itself. `over`: it has ended, and its last words can still be received here. `gone`: it is not
 * running; for a driver whose sessions outlive the supervisor `listen` still yields what is left and the exit.
 */
export type Finding =
  /** `keeperless`: nothing but the whole process table shows it, which is dear to look at. */
  | { readonly kind: "alive"; readonly detail: string; readonly keeperless?: true }
  /** `cutShort`: it was ended by a signal. `lost`: together with its machine or container. */
  | { readonly kind: "over"; readonly detail: string; readonly cutShort?: boolean; readonly lost?: Loss }
  | { readonly kind: "gone"; readonly detail: string; readonly lost?: Loss }
  | { readonly kind: "unknown"; readonly detail: string };

export type EndOutcome = { readonly kind: "ended" } | { readonly kind: "failed"; readonly text: string };

export interface SignalBatch {
  readonly signals: readonly Signal[];
  /** Reading goes on here; journaled together with the signals. At most 200 bytes, opaque to everybody else. */
  readonly cursor: string;
  /** A bound that was reached while reading, and what was left out because of it. */
  readonly reached?: { readonly what: string; readonly bound: number; readonly detail: string };
}

export interface Listener {
  close(): void;
}

/** The cursor of a session nothing was read from yet. */
export const CURSOR_START = "";

/** A session that the guard has to freeze, or has frozen. */
export interface FencedSession {
  readonly name: string;
  /** Null where nobody noted it. */
  readonly run: string | null;
  /** Since when, by the machine's steady clock. */
  readonly since: SteadyTime | null;
}

/** What a supervisor shows the guard of its host's agents, and what it undoes of the guard's. */
export interface HostFence {
  /** Before this is called nothing of the others does anything: a command that only looks needs no fence. */
  open(): void;
  /** Shows, or shows no longer, that this process holds its lock of the store. */
  hold(isHeld: boolean): void;
  /** Agents may work until then, by the machine's steady clock. */
  permit(untilMs: number): void;
  /** The session of an agent is to be frozen when nobody may supervise it: said before the agent begins. */
  guard(session: string, run: string): void;
  frozen(): readonly FencedSession[];
  thaw(name: string): void;
  /** It is over, or of no concern to the guard any more. */
  forget(name: string): void;
  /** Whether anything of a session lives; null where nobody could look. */
  lives(name: string): boolean | null;
  /** Forgets sessions that are over. */
  sweep(): void;
  /** Whether a guard lives. */
  hasGuard(): boolean;
  close(): void;
}
