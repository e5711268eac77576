import { createHash } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { makeOwnFolder } from "../../files/own-folder.ts";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { replaceFile } from "../../files/replace-file.ts";

/**
 * The writes that were asked for under an Idempotency-Key, one file for each key.
 *
 * On disk at each instant: no file, and nothing was done; a file without an answer, and it was begun, with what was
 * planned until then; a file with the answer, which is sent after it is kept. A file is replaced wholly or not at all.
 * Secrets are never in it: an answer has a mark in the place of each.
 */
export interface KeptWrites {
  find(key: string): KeptWrite | null;
  keep(write: KeptWrite): void;
}

const answerSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("document"),
    document: z.unknown(),
    status: z.number().optional(),
    exitCode: z.number().optional(),
  }),
  z.object({
    kind: z.literal("text"),
    text: z.string(),
    notes: z.string(),
    exitCode: z.number(),
    type: z.string().optional(),
  }),
  z.object({
    kind: z.literal("fault"),
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()),
  }),
]);
export type KeptAnswer = z.infer<typeof answerSchema>;

const writeSchema = z.object({
  version: z.literal(1),
  key: z.string(),
  /** Of all that was asked, and of who asked. */
  digest: z.string(),
  begunAt: z.number(),
  plans: z.record(z.string(), z.unknown()),
  /** By the name of each secret, the digest of it. */
  secrets: z.record(z.string(), z.string()),
  answer: answerSchema.nullable(),
});
export type KeptWrite = z.infer<typeof writeSchema>;

const KEEP_MS = 24 * 3_600_000;
const WRITES_MAX = 10_000;
const TIDY_EVERY = 500;
const FILE_BYTES_MAX = 1024 * 1024;

export function keptWrites(folder: string, now: () => number): KeptWrites {
  makeOwnFolder(folder);
  tidy(folder, now());
  let kept = 0;
  const fileOf = (key: string): string =>
    path.join(folder, `${createHash("sha256").update(key).digest("hex")}.json`);
  return {
    find(key) {
      const text = plainTextIfAny(fileOf(key), { bytesMax: FILE_BYTES_MAX });
      return text === undefined ? null : readWrite(text);
    },
    keep(write) {
      kept += 1;
      if (kept % TIDY_EVERY === 0) tidy(folder, now());
      replaceFile(fileOf(write.key), JSON.stringify(write));
    },
  };
}

function readWrite(text: string): KeptWrite | null {
  try {
    return writeSchema.parse(JSON.parse(text));
  } catch {
    // Such as one of a later version: as good as none, and what it was about is protected by its own id.
    return null;
  }
}

/** A key is remembered for a day, and the newest ones only. */
function tidy(folder: string, now: number): void {
  const found = readdirSync(folder).map((name) => {
    const file = path.join(folder, name);
    return { file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  found.sort((one, other) => other.at - one.at);
  for (const [index, { file, at }] of found.entries())
    if (index >= WRITES_MAX || now - at > KEEP_MS) rmSync(file, { force: true });
}
