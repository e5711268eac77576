/** What a call is for, as far as its name and arguments show. */
export const CALL_DOES = ["look", "edit", "run", "wait", "ask", "think"] as const;
export type CallDoes = (typeof CALL_DOES)[number];

/** What is waited for when a limit of the provider was met. */
export interface LimitSeen {
  /** When it ends, as far as that was said. */
  readonly until: number | null;
  readonly text: string;
  /** That end was named by the clock. */
  readonly named?: boolean;
}

/**
 * What health is assessed by: one thing that was seen of a session. Texts are compared by their keys, which are
 * computed once, where the text is read; nothing here is longer than a short excerpt.
 */
export type Observed =
  | {
      readonly kind: "call";
      readonly id?: string;
      readonly name: string;
      readonly key: string;
      /** Equal for calls that begin alike. */
      readonly head: string;
      readonly does: CallDoes;
      /** How long the call itself says that it may take. */
      readonly limitMs?: number;
      /** Words of it, for evidence. */
      readonly words: string;
    }
  | {
      readonly kind: "result";
      readonly id?: string;
      readonly name?: string;
      readonly failed: boolean;
      /** It is not marked as failed but reads like a failure. */
      readonly readsFailed: boolean;
      readonly exact: string;
      readonly alike: string;
      /** It says nothing but that the call was taken: results of this kind are the same for different calls. */
      readonly bare: boolean;
      /** It was not carried out, because of another call or of a person: neither success nor failure. */
      readonly cancelled: boolean;
      readonly words: string;
    }
  | { readonly kind: "said"; readonly spoken: Spoken; readonly words: string }
  | { readonly kind: "sent"; readonly key: string }
  /** The provider's stream broke, and what it had begun is asked for again: calls come twice. */
  | { readonly kind: "retried" }
  /** A recovery was granted: what was found before is not held against the session unless it comes again. */
  | { readonly kind: "granted" }
  | { readonly kind: "condensed" }
  | {
      readonly kind: "error";
      readonly alike: string;
      readonly limit: LimitSeen | null;
      readonly words: string;
    }
  | { readonly kind: "limit"; readonly limit: LimitSeen }
  | {
      readonly kind: "asked";
      readonly id: string;
      readonly what: "permission" | "person";
      /** What was asked, on one line. */
      readonly text?: string;
      /** The call that waits for it. */
      readonly callId?: string;
    }
  /** `denied`: what waited for it will not be done. */
  | { readonly kind: "answered"; readonly id: string; readonly denied?: boolean }
  | { readonly kind: "context"; readonly usedPct: number }
  | { readonly kind: "process"; readonly alive: boolean; readonly exitCode: number | null }
  | {
      readonly kind: "screen";
      readonly key: string;
      readonly atPrompt: boolean;
      readonly limit: LimitSeen | null;
    }
  | { readonly kind: "progress" }
  /** The agent's own last word about its task. */
  | { readonly kind: "ended" }
  /** More time was asked for. */
  | { readonly kind: "extended"; readonly until: number }
  | { readonly kind: "beat" }
  /** A request of the model's was answered: it was paid for. */
  | { readonly kind: "used" }
  /** The model answers, and what it says is not whole yet. */
  | { readonly kind: "speaking" };

/** What can be determined of a message without keeping it. */
export interface Spoken {
  readonly alike: string;
  readonly letters: number;
  /** How often a fence of code opens or closes in it. */
  readonly fences: number;
  /** How often its most repeated sentence stands in it, outside of code. */
  readonly chants: number;
  /** It announces an action. */
  readonly promises: boolean;
  /** It ends by asking. */
  readonly asks: boolean;
  /** It says that it stops; absent in what was recorded before this was looked for. */
  readonly stops?: boolean | undefined;
}
