import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeOwnFolder } from "../../files/own-folder.ts";
import { readPlain, RECORD_BYTES_MAX, refusalFault } from "../../files/plain-file.ts";
import type { ProcessIdentity } from "../../model/world.ts";
import { textDigest } from "../to-signal.ts";

/**
 * What is on disk about one kept session. The one that creates `identity` first decides what the session is:
 * a keeper, which then runs the agent, or an end that came before any agent, which then never runs.
 */
export interface SessionFolder {
  readonly folder: string;
  /** What the agent is to do, for the agent to read. */
  readonly order: string;
  /** What it reads from its standard input, where it is given something there. */
  readonly input: string;
  readonly identity: string;
  /** A FIFO that the keeper, and what it started, holds open while it lives. */
  readonly held: string;
  /** The agent's exit status, written by its keeper. */
  readonly exit: string;
  readonly out: string;
  readonly err: string;
  /** How many bytes of each spool are kept before its middle is dropped; absent where all of them are. */
  readonly quota: string;
  /** The FIFOs that the agent writes its output to, and the one whose reading end only copiers hold. */
  readonly outPipe: string;
  readonly errPipe: string;
  readonly copying: string;
  /** The pid of the keeper's copier. */
  readonly copier: string;
  /** Every byte that an agent with a terminal wrote to it. */
  readonly terminal: string;
  /** Messages to an agent that is spoken to, and the FIFO that names them to its courier. */
  readonly words: string;
  readonly mail: string;
  /** The pid of that courier, a child of the keeper. */
  readonly courier: string;
  /** For agents that get a temporary folder of their own; the keeper removes it after them. */
  readonly tmp: string;
  /** Carried in the environment of everything the session starts: a descendant is known by it wherever it went. */
  readonly mark: string;
}

export const MARK_VARIABLE = "HOLDFAST_SESSION";

export function sessionFolder(sessions: string, session: string): SessionFolder {
  const folder = path.join(path.resolve(sessions), folderName(session));
  const file = (name: string): string => path.join(folder, name);
  return {
    folder,
    order: file("order.json"),
    input: file("input"),
    identity: file("identity"),
    held: file("held"),
    exit: file("exit"),
    out: file("out.spool"),
    err: file("err.spool"),
    quota: file("quota"),
    outPipe: file("out.pipe"),
    errPipe: file("err.pipe"),
    copying: file("copying"),
    copier: file("copier"),
    terminal: file("terminal.spool"),
    tmp: file("tmp"),
    words: file("words"),
    mail: file("mail"),
    courier: file("courier"),
    mark: `${path.basename(folder)}@${textDigest(folder)}`,
  };
}

/** A session key is text from outside: only what cannot leave the folder or confuse a reader is used as it is. */
function folderName(session: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._~-]{0,199}$/.test(session)) return session;
  return `${session.replaceAll(/[^A-Za-z0-9]+/g, "-").slice(0, 100)}~${textDigest(session)}`;
}

/** Only the owner may read what an agent says. */
export function makeSessionFolder({ folder }: SessionFolder): void {
  makeOwnFolder(path.dirname(folder));
  makeOwnFolder(folder);
}

export const wasPrepared = ({ folder }: SessionFolder): boolean => existsSync(folder);

/** Whole or not at all, whenever this process dies. */
export function writeWhole(file: string, text: string, nonce: string): void {
  const draft = `${file}.${nonce}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

export type IdentityReading =
  | { readonly kind: "none" }
  /** The session was ended before an agent began, and none will. */
  | { readonly kind: "never" }
  | { readonly kind: "keeper"; readonly keeper: ProcessIdentity }
  | { readonly kind: "unreadable"; readonly text: string };

export function readIdentity({ identity }: SessionFolder): IdentityReading {
  const text = readIfThere(identity);
  if (text === undefined) return { kind: "none" };
  if (text instanceof Error) return { kind: "unreadable", text: text.message };
  return (
    parseIdentity(text) ?? {
      kind: "unreadable",
      text: `${identity} holds ${JSON.stringify(text.slice(0, 100))}`,
    }
  );
}

function parseIdentity(text: string): IdentityReading | undefined {
  try {
    const { never, host, pid, startedAt, space } = JSON.parse(text) as Record<string, unknown>;
    if (never === true) return { kind: "never" };
    if (typeof host !== "string" || typeof pid !== "number" || typeof startedAt !== "string")
      return undefined;
    const within = typeof space === "string" ? { space } : {};
    return { kind: "keeper", keeper: { host, pid, startedAt, ...within } };
  } catch {
    return undefined;
  }
}

/** Claims a session that has no keeper yet, so that none can begin. A keeper that was quicker stays. */
export function claimNever(session: SessionFolder, nonce: string): IdentityReading {
  makeSessionFolder(session);
  const draft = `${session.identity}.${nonce}`;
  writeFileSync(draft, `{"never":true}\n`, { mode: 0o600 });
  try {
    linkSync(draft, session.identity);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readIdentity(session);
}

/** The status as a shell reports it, or undefined while there is none. */
export function readExitStatus({ exit }: SessionFolder): number | undefined {
  const text = readIfThere(exit);
  return typeof text === "string" && /^\d{1,3}\n$/.test(text) ? Number(text) : undefined;
}

/** The quota of its spools, Infinity where they keep everything. */
export function readQuota({ quota }: SessionFolder): number {
  const text = readIfThere(quota);
  return typeof text === "string" && /^\d{1,15}\n$/.test(text) ? Number(text) : Infinity;
}

/** What is of no use once nothing of the session runs. */
export const leftovers = ({ tmp, outPipe, errPipe, copying, copier }: SessionFolder): readonly string[] => [
  tmp,
  outPipe,
  errPipe,
  copying,
  copier,
];

/** The pids of the keeper's own helpers, as far as there are any. */
export const readHelpers = ({ courier, copier }: SessionFolder): readonly number[] =>
  [courier, copier].flatMap((file) => {
    const text = readIfThere(file);
    return typeof text === "string" && /^\d+\n$/.test(text) ? [Number(text)] : [];
  });

function readIfThere(file: string): string | Error | undefined {
  const read = readPlain(file, { bytesMax: RECORD_BYTES_MAX });
  if (read.kind === "refused") return refusalFault(file, read);
  return read.kind === "absent" ? undefined : read.bytes.toString("utf8");
}

/** The keeper of a session, where one is known. */
export function keeperOf(
  folder: SessionFolder,
): Extract<ReturnType<typeof readIdentity>, { kind: "keeper" }>["keeper"] | undefined {
  const reading = readIdentity(folder);
  return reading.kind === "keeper" ? reading.keeper : undefined;
}
