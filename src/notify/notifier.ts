import type { ChannelSpec, SentNotice } from "../model/settings/notice.ts";

/** A failure that is not terminal may be tried again, not before `retryAfterMs` if the receiver said so. */
export type DeliveryOutcome =
  | { readonly kind: "delivered"; readonly detail: string }
  | {
      readonly kind: "failed";
      readonly text: string;
      readonly terminal: boolean;
      readonly retryAfterMs?: number;
    };

/**
 * The port to the channels. Each call is one try: durable trying again is for the one that keeps the outbox.
 * `deliver` does not reject for anything a channel does, takes no longer than the channel's limit and a moment,
 * and what it answers names no secret and is safe to print.
 */
export interface Notifier {
  /** `cwd`: the folder from which the channel's paths are named, and in which its program runs. */
  deliver(notice: SentNotice, channel: ChannelSpec, cwd?: string): Promise<DeliveryOutcome>;
}

/** A JSON text that is posted to the address of a hook. */
export interface JsonPost {
  readonly url: string;
  /** Whether the address may lead into this machine or its network. */
  readonly allowPrivate: boolean;
  readonly body: string;
  readonly limitMs: number;
  readonly answerBytesMax: number;
  readonly signal: AbortSignal;
}

export type PostAnswer =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly beginning: string;
      /** Whether the body came to its end, or to the bound of what is read. */
      readonly whole: boolean;
    }
  | { readonly kind: "none"; readonly text: string };

/** Does not reject: an address that is refused, or does not answer, is an answer of kind `none`. */
export type PostJson = (post: JsonPost) => Promise<PostAnswer>;

/** An open escalation, as people read it. */
export interface OpenTask {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly reason: string | null;
  readonly owner: string | null;
  readonly command: string | null;
  readonly since: number;
}

export interface TaskMirror {
  readonly file: string;
  readonly run: string;
  /** All that are open; none takes the run's section out of the file. */
  readonly tasks: readonly OpenTask[];
  /** Whether others may read the file, if it is made now; one that is there keeps its mode. */
  readonly shared?: boolean;
}

export interface StatusMirror {
  readonly file: string;
  readonly document: unknown;
  readonly shared?: boolean;
}

export type MirrorOutcome =
  | { readonly kind: "written" | "unchanged" | "removed" }
  /** What it mirrors is in the journal all the same. */
  | { readonly kind: "failed"; readonly text: string };

/** The port to files in which people and programs follow a run. Neither call rejects; each may be repeated at any time. */
export interface Mirrors {
  /** Brings a run's section of a `HUMAN_TASKS.md` up to date. */
  tasks(mirror: TaskMirror): Promise<MirrorOutcome>;
  /** Puts a whole JSON document in the place of the file. */
  status(mirror: StatusMirror): Promise<MirrorOutcome>;
}
