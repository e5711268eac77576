import { linkSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { plainText, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { makeSessionFolder, writeWhole, type SessionFolder } from "../keeper/session-folder.ts";

/** What came of a step that a person does. */
export interface Settled {
  readonly kind: "done" | "failed" | "ended";
  readonly note?: string;
}

interface Paper {
  readonly task: string | undefined;
  readonly settled: Settled | undefined;
}

const settledFile = ({ folder }: SessionFolder): string => path.join(folder, "settled.json");

export function readPaper(session: SessionFolder): Paper {
  const order = parse(session.order);
  const settled = parse(settledFile(session));
  return {
    task: typeof order?.["task"] === "string" ? order["task"] : undefined,
    settled: isSettled(settled) ? settled : undefined,
  };
}

export function writeTask(session: SessionFolder, task: string, nonce: string): void {
  makeSessionFolder(session);
  writeWhole(session.order, JSON.stringify({ task }), nonce);
}

/** Who settles first settles it; answers what it is settled as. */
export function settle(session: SessionFolder, settled: Settled, nonce: string): Settled {
  makeSessionFolder(session);
  const file = settledFile(session);
  const draft = `${file}.${nonce}`;
  writeFileSync(draft, JSON.stringify(settled), { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readPaper(session).settled ?? settled;
}

function isSettled(paper: unknown): paper is Settled {
  if (typeof paper !== "object" || paper === null || !("kind" in paper)) return false;
  const { kind } = paper;
  return kind === "done" || kind === "failed" || kind === "ended";
}

function parse(file: string): Readonly<Record<string, unknown>> | undefined {
  // Written whole or not at all: what is not there was not written.
  const text = plainText(file, { bytesMax: RECORD_BYTES_MAX });
  return text === undefined ? undefined : (JSON.parse(text) as Readonly<Record<string, unknown>>);
}
