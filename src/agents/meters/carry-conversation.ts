import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readPlainAt } from "../../files/plain-file.ts";
import { claudeTranscripts } from "./claude-transcript.ts";
import { codexRollouts } from "./codex-rollout.ts";
import { namesIn, type Ledger } from "./file-meter.ts";
import { geminiChats } from "./gemini-chats.ts";
import type { LedgerHomes } from "./any-meter.ts";

/** A file in which an agent keeps a conversation: by the agent's own folder, and its path in it. */
export interface ConversationFile {
  readonly home: string;
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What of a conversation can be brought to another host, and what cannot. */
export interface KeptConversation {
  readonly files: readonly ConversationFile[];
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

const FILE_BYTES_MAX = 64 * 2 ** 20;
const FILES_MAX = 200;

const LEDGERS: Readonly<Record<string, (home: string) => Ledger>> = {
  claude: claudeTranscripts,
  codex: codexRollouts,
  gemini: geminiChats,
};

/** The files of a conversation, as its agent has them now; of those that are written meanwhile, the whole lines. */
export function readConversation(homes: LedgerHomes, id: string): KeptConversation {
  for (const [name, open] of Object.entries(LEDGERS)) {
    const home = homes[name as keyof LedgerHomes];
    const file = home === undefined ? undefined : open(home).find(id);
    if (home !== undefined && file !== undefined) return readFiles(home, name, [file, ...beside(file)]);
  }
  return { files: [], left: [] };
}

/** Claude Code keeps what helpers of a session have said in a folder of the session's name. */
function beside(file: string): string[] {
  const folder = file.replace(/\.jsonl$/, "");
  return filesBelow(folder).slice(0, FILES_MAX);
}

const filesBelow = (folder: string): string[] =>
  namesIn(folder).flatMap((name) => {
    const below = path.join(folder, name);
    const inside = filesBelow(below);
    return inside.length > 0 ? inside : [below];
  });

function readFiles(home: string, name: string, files: readonly string[]): KeptConversation {
  const read: ConversationFile[] = [];
  const left: { path: string; why: string }[] = [];
  for (const file of files) {
    const found = readPlainAt(file, { from: 0, bytesMax: FILE_BYTES_MAX + 1 });
    if (found.kind === "read" && found.bytes.length <= FILE_BYTES_MAX)
      read.push({ home: name, path: path.relative(home, file), bytes: wholeLines(file, found.bytes) });
    else left.push({ path: file, why: found.kind === "read" ? "too large" : "cannot be read" });
  }
  return { files: read, left };
}

/** A line that is being written would make the file unreadable elsewhere. */
const wholeLines = (file: string, bytes: Uint8Array): Uint8Array =>
  file.endsWith(".jsonl") ? bytes.subarray(0, bytes.lastIndexOf(10) + 1) : bytes;

/** Puts files of a conversation where the agent looks for them here. What stands there otherwise is kept beside it. */
export function bringConversation(homes: LedgerHomes, files: readonly ConversationFile[]): boolean {
  const placed = files.map((file) => ({ ...file, at: placeOf(homes, file) }));
  if (files.length === 0 || placed.some(({ at }) => at === null)) return false;
  for (const { at, bytes } of placed) if (at !== null) putFile(at, bytes);
  return true;
}

/** Nothing is written outside of the agent's own folder. */
function placeOf(homes: LedgerHomes, { home, path: name }: ConversationFile): string | null {
  const folder = homes[home as keyof LedgerHomes];
  if (folder === undefined || path.isAbsolute(name) || name.split("/").includes("..")) return null;
  return path.join(folder, name);
}

function putFile(file: string, bytes: Uint8Array): void {
  const there = readPlainAt(file, { from: 0, bytesMax: FILE_BYTES_MAX + 1 });
  if (there.kind === "read" && Buffer.compare(there.bytes, bytes) === 0) return;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  if (there.kind === "read") renameSync(file, `${file}.before-${digestOf(there.bytes)}`);
  const draft = `${file}.${String(process.pid)}.partial`;
  writeFileSync(draft, bytes, { mode: 0o600, flush: true });
  renameSync(draft, file);
}

const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 12);
