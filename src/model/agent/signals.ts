import { z } from "zod";
import { idSchema } from "../ids.ts";
import { made } from "../values/made.ts";
import { BLOCKED_REASONS } from "../requests/blocked.ts";
import { HOST_FAULTS } from "../host/host-fault.ts";
import { CALL_DOES } from "./observed.ts";
import { toolUseShape } from "../flow/permission-rules.ts";
import { LOSSES } from "../world.ts";

/**
 * What an agent was observed to do, in one shape for every driver. Bulk text stays in the spool:
 * a signal carries at most a short excerpt and a digest of the whole.
 */
const excerpt = z.string().max(4_096);

/** What can be determined of a message without reading it again. */
const spokenSchema = z.object({
  alike: z.string(),
  letters: z.number(),
  fences: z.number(),
  chants: z.number(),
  promises: z.boolean(),
  asks: z.boolean(),
  stops: z.boolean().optional(),
});

const signalVariants = [
  () => z.object({ kind: z.literal("ready") }),
  () =>
    z.object({
      kind: z.literal("tool_call"),
      callId: z.string().optional(),
      name: z.string(),
      args: excerpt.optional(),
      argsDigest: z.string().optional(),
      /** What the call is for, and how long it says that it may take, as read from the whole of it. */
      does: z.enum(CALL_DOES).optional(),
      limitMs: z.number().nonnegative().optional(),
    }),
  () =>
    z.object({
      kind: z.literal("tool_result"),
      callId: z.string().optional(),
      name: z.string().optional(),
      ok: z.boolean(),
      text: excerpt.optional(),
      textDigest: z.string().optional(),
      /** Equal for texts that differ only in numbers, ids and the like. */
      textAlike: z.string().optional(),
      /** How it reads although it is not marked so. */
      reads: z.enum(["failed", "bare", "cancelled"]).optional(),
    }),
  () =>
    z.object({
      kind: z.literal("message"),
      from: z.enum(["agent", "user", "system"]),
      text: excerpt,
      spoken: spokenSchema.optional(),
    }),
  /**
   * What was used since the last such signal. What ends in `Total` is the agent's own count of its whole session so
   * far instead: it counts where it is more than the sum, so it may come late, early or twice.
   */
  () =>
    z.object({
      kind: z.literal("usage"),
      /** Negative: so much was counted too much before. */
      tokensIn: z.number().optional(),
      tokensOut: z.number().optional(),
      /** The part of `tokensIn` that was read from the provider's cache. */
      cachedIn: z.number().optional(),
      usd: z.number().nonnegative().optional(),
      /** How many requests to a model these are, where the driver knows. */
      requests: z.number().int().nonnegative().optional(),
      tokensInTotal: z.number().nonnegative().optional(),
      tokensOutTotal: z.number().nonnegative().optional(),
      cachedInTotal: z.number().nonnegative().optional(),
      requestsTotal: z.number().int().nonnegative().optional(),
      /** What the whole session has cost so far: it replaces all that was reported and priced before. */
      usdTotal: z.number().nonnegative().optional(),
      /** The model that used them, for its price; absent where the agent's configuration names it, or nobody does. */
      model: z.string().max(200).optional(),
    }),
  /** The name under which the agent keeps its conversation, for going on with it later. */
  () => z.object({ kind: z.literal("conversation"), id: z.string().max(200) }),
  () => z.object({ kind: z.literal("context"), usedPct: z.number().min(0).max(100) }),
  /** `callId`: the call that waits for it, where that was reported before. */
  () =>
    z.object({
      kind: z.literal("permission"),
      askId: idSchema,
      what: excerpt,
      callId: z.string().optional(),
      ...toolUseShape,
    }),
  () => z.object({ kind: z.literal("question"), askId: idSchema, text: excerpt }),
  /** The agent made its conversation shorter, to have room again. */
  () => z.object({ kind: z.literal("condensed") }),
  /**
   * An answer is on its way, piece by piece; it is reported when it is whole. Not more often than every few seconds.
   */
  () => z.object({ kind: z.literal("speaking") }),
  /** What was asked under this id is not asked any more: it was answered, by whomever. */
  () => z.object({ kind: z.literal("answered"), askId: idSchema }),
  () =>
    z.object({
      kind: z.literal("rate_limit"),
      text: excerpt,
      resetsAt: z.number().optional(),
      retryAfterMs: z.number().optional(),
    }),
  () =>
    z.object({
      kind: z.literal("error"),
      text: excerpt,
      terminal: z.boolean().default(false),
      /** The provider's HTTP status and error code, where the driver received them. */
      status: z.number().int().optional(),
      code: z.string().max(100).optional(),
    }),
  /** The agent, or what stands around it, cannot go on and says what of. */
  () => z.object({ kind: z.literal("blocked"), reason: z.enum(BLOCKED_REASONS), text: excerpt }),
  () =>
    z.object({
      kind: z.literal("progress"),
      text: excerpt,
      pct: z.number().min(0).max(100).optional(),
      /** It was shown before: movement, and no progress. */
      again: z.boolean().optional(),
    }),
  /** The agent's own last word about its task. It is a claim; what follows from it is assessed elsewhere. */
  () =>
    z.object({ kind: z.literal("result"), ok: z.boolean(), text: excerpt, value: z.unknown().optional() }),
  /** `vanished`: the process is gone and left no exit status. Unknown is never success. */
  () =>
    z.object({
      kind: z.literal("exit"),
      how: z.enum(["code", "signal", "vanished"]),
      code: z.number().int().optional(),
      signal: z.string().optional(),
      /** What it was lost with, where that is known: no death of its own. */
      lost: z.enum(LOSSES).optional(),
      /** What the host had run out of when it ended. */
      fault: z.enum(HOST_FAULTS).optional(),
    }),
  /** A line the driver does not understand; kept, never an error. */
  () => z.object({ kind: z.literal("unknown"), text: excerpt }),
] as const;

export const signalSchema = z.lazy(() => z.discriminatedUnion("kind", made(signalVariants)));
export type Signal = z.infer<typeof signalSchema>;
export type ExitSignal = Extract<Signal, { kind: "exit" }>;
export type ErrorSignal = Extract<Signal, { kind: "error" }>;
export type UsageSignal = Extract<Signal, { kind: "usage" }>;
export type ResultSignal = Extract<Signal, { kind: "result" }>;

/** The error code by which a driver says that the conversation to go on with is not there. */
export const CONVERSATION_MISSING = "conversation_missing";

export const EXCERPT_CHARS_MAX = 4_096;

/** Cuts text to what a signal may carry and says that it did. */
/** Whether an excerpt is all that was said; two that were cut may be of different texts. */
export const isWhole = (excerpt: string): boolean => excerpt.length < EXCERPT_CHARS_MAX - 16;

export const toExcerpt = (text: string): string =>
  text.length <= EXCERPT_CHARS_MAX
    ? text
    : `${text.slice(0, EXCERPT_CHARS_MAX - 16)}… [${String(text.length)} chars]`;
