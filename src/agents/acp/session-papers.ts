import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { plainText, plainTextIfAny, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { z } from "zod";
import { writeWhole, type SessionFolder } from "../keeper/session-folder.ts";
import { textDigest } from "../to-signal.ts";
import type { TalkPast } from "./acp-talk.ts";

/** What is on disk about a session of the protocol beside its spool, so that every supervisor knows it. */

const LEDGERS = ["claude", "codex", "gemini", "data"] as const;

const orderSchema = z.object({
  task: z.string(),
  cwd: z.string(),
  resume: z.string().optional(),
  /** Where agents keep their conversations, of which this one is. */
  ledgers: z.partialRecord(z.enum(LEDGERS), z.string()).default({}),
  mcpServers: z
    .array(
      z.object({
        name: z.string(),
        command: z.string(),
        args: z.array(z.string()),
        env: z.array(z.object({ name: z.string(), value: z.string() })),
      }),
    )
    .default([]),
});
export type AcpOrder = z.infer<typeof orderSchema>;

export function readOrder({ order }: SessionFolder): AcpOrder | undefined {
  try {
    return orderSchema.parse(JSON.parse(plainText(order, { bytesMax: RECORD_BYTES_MAX }) ?? ""));
  } catch {
    return undefined;
  }
}

const replayed = ({ folder }: SessionFolder): string => path.join(folder, "replayed-to");
const closed = ({ folder }: SessionFolder): string => path.join(folder, "closed");
const messages = ({ folder }: SessionFolder): string => path.join(folder, "tells");

export function pastOf(session: SessionFolder): TalkPast {
  let known: number | undefined;
  return {
    resume: readOrder(session)?.resume,
    startedAt: statSync(session.order, { throwIfNoEntry: false })?.mtimeMs ?? 0,
    replayedTo: () => (known ??= readNumber(replayed(session))),
    wasClosed: () => existsSync(closed(session)),
  };
}

const NUMBER_BYTES_MAX = 64;

function readNumber(file: string): number | undefined {
  const text = plainTextIfAny(file, { bytesMax: NUMBER_BYTES_MAX });
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The old conversation has been replayed up to there. The first word about it stands. */
export function noteReplayed(session: SessionFolder, offset: number, nonce: string): void {
  if (!existsSync(replayed(session))) writeWhole(replayed(session), String(offset), nonce);
}

/** From here on nothing is said to the agent any more. */
export const noteClosed = (session: SessionFolder, nonce: string): void =>
  writeWhole(closed(session), "", nonce);

export interface PromptAnswer {
  readonly name: string;
  readonly text: string;
}

/** Words for the agent that wait for their turn, in the order in which they were said. */
export function queueMessage(
  session: SessionFolder,
  key: string,
  text: string,
  now: number,
  nonce: string,
): string {
  const name = textDigest(key);
  const folder = messages(session);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!readdirSync(folder).some((file) => file.endsWith(`-${name}`)))
    writeWhole(path.join(folder, `${String(now).padStart(16, "0")}-${name}`), text, nonce);
  return name;
}

const QUEUED = /^\d{16}-[0-9a-f]+$/;

export const messageNames = (session: SessionFolder): readonly string[] =>
  existsSync(messages(session))
    ? readdirSync(messages(session))
        .filter((file) => QUEUED.test(file))
        .sort()
    : [];

export const readMessage = (session: SessionFolder, file: string): PromptAnswer => ({
  name: file.slice(file.indexOf("-") + 1),
  text: plainText(path.join(messages(session), file), { bytesMax: RECORD_BYTES_MAX }) ?? "",
});
