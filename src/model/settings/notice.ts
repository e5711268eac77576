import { z } from "zod";
import { idSchema } from "../ids.ts";

export const COMMAND_LIMIT_MS = 30_000;
export const WEBHOOK_LIMIT_MS = 10_000;

const limitMs = (fallback: number) =>
  z.number().int().min(1).max(600_000).default(fallback).describe("time one delivery may take");

const commandChannelSchema = z.strictObject({
  use: z.literal("command"),
  command: z
    .array(z.string())
    .min(1)
    .describe("program and arguments, run without a shell; the notice comes as JSON on its standard input"),
  limitMs: limitMs(COMMAND_LIMIT_MS),
});

const webhookShape = z.strictObject({
  use: z.literal("webhook"),
  url: z
    .string()
    .min(1)
    .optional()
    .describe("http or https address that the notice is posted to, without credentials; it is recorded"),
  urlEnv: z
    .string()
    .min(1)
    .optional()
    .describe("name of the environment variable that holds the address, where the address is a secret"),
  urlFile: z
    .string()
    .min(1)
    .optional()
    .describe("path of the file that holds the address, where the address is a secret"),
  secretEnv: z
    .string()
    .min(1)
    .optional()
    .describe("name of the environment variable that holds the signing secret (whsec_…)"),
  secretFile: z
    .string()
    .min(1)
    .optional()
    .describe("path of the file that holds the signing secret (whsec_…)"),
  allowPrivate: z
    .boolean()
    .default(false)
    .describe("whether the address may lead into this machine or a private network"),
  limitMs: limitMs(WEBHOOK_LIMIT_MS),
});

/** An address is given in one way: two could differ, and none leads nowhere. */
const webhookChannelSchema = webhookShape.refine(
  ({ url, urlEnv, urlFile }) => [url, urlEnv, urlFile].filter((place) => place !== undefined).length === 1,
  { error: "expected exactly one of url, urlEnv and urlFile" },
);

/** Where notices go. Secrets are named, never written here: channels stand in configuration and journals. */
export const channelSpecSchema = z.discriminatedUnion("use", [commandChannelSchema, webhookChannelSchema]);
export type ChannelSpec = z.infer<typeof channelSpecSchema>;

export const NOTICE_KINDS = ["escalation", "reminder", "resolved", "ended", "incident", "digest"] as const;

/** What a person receives. */
export const noticeSchema = z.object({
  /** The same in every try at delivering it, so that a receiver can count it once. */
  id: idSchema.min(1),
  at: z.number().int(),
  kind: z.enum(NOTICE_KINDS),
  run: z.string(),
  title: z.string(),
  text: z.string(),
  reason: z.string().nullable(),
  owner: z.string().nullable(),
  /** What to type. */
  command: z.string().nullable(),
  /** The escalation it is about. */
  escalation: idSchema.nullable(),
});
export type Notice = z.infer<typeof noticeSchema>;

/** A notice as it is sent: with the page of the dashboard that shows what it is about, where one is served. */
export interface SentNotice extends Notice {
  readonly link: string | null;
}

/** A notice that is not sent any more although what it was about is still open. */
export interface UndeliveredNotice {
  readonly id: string;
  readonly channel: string;
  readonly escalation: string | null;
  readonly tries: number;
  readonly why: string;
  readonly at: number;
}

const ORIGIN = /^https?:\/\/[^/?#\s]+/;

/** The page of the dashboard that shows what a notice is about; a question leads to its entry of the inbox. */
export function noticeLink(
  { kind, run, escalation }: Pick<Notice, "kind" | "run" | "escalation">,
  dashboard: string | null,
): string | null {
  const page = ORIGIN.exec(dashboard ?? "")?.[0];
  if (page === undefined) return null;
  if (kind === "incident") return `${page}/incidents`;
  const isOpen = kind === "escalation" || kind === "reminder";
  if (isOpen && escalation !== null) return `${page}/inbox?item=${encodeURIComponent(escalation)}`;
  return `${page}/runs/${encodeURIComponent(run)}`;
}
