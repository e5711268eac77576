import { marksOf } from "./look-around.ts";
import { MARK_VARIABLE, readIdentity, sessionFolder } from "./session-folder.ts";
import { folders, sessionOfMark } from "./live-sessions.ts";
import { readOwnProcess, readProcess, type ProcessRow } from "../process-table.ts";

/** The session of an agent that this process belongs to, and what that session is of. */
export interface CallerSession {
  readonly session: string;
  readonly run?: string;
  readonly attempt?: string;
}

const ANCESTORS_MAX = 128;
const KEEPERS_MAX = 5_000;

/**
 * Whether this process is part of an agent's session of the store whose sessions are in that folder, regardless of its
 * own environment says. It is, where an ancestor, or the leader of its group or session, bears the mark of such a
 * session or is its keeper. Null where none is found: a process that was given to init, in a session of its own, with
 * its environment removed, cannot be distinguished from a person's.
 */
export function callerSession(sessions: string): CallerSession | null {
  const self = readOwnProcess();
  return self === undefined ? null : sessionOf(self, sessions);
}

/** The same of any of several processes, such as those that hold one end of a connection. */
export function sessionOfAny(pids: readonly number[], sessions: string): CallerSession | null {
  for (const pid of pids) {
    const row = readProcess(pid);
    const found = typeof row === "object" ? sessionOf(row, sessions) : null;
    if (found !== null) return found;
  }
  return null;
}

function sessionOf(self: ProcessRow, sessions: string): CallerSession | null {
  const kin = [...kinOf(self)];
  for (const row of kin) {
    const found = markedSession(row, sessions);
    if (found !== null) return found;
  }
  const keepers = keepersIn(sessions);
  const kept = kin.map(({ pid, startedAt }) => {
    const keeper = keepers.get(pid);
    return keeper?.startedAt === startedAt ? keeper.session : null;
  });
  const session = kept.find((one) => one !== null) ?? null;
  return session === null ? null : { session };
}

/** This process, its ancestors up to init, and the leaders of the groups and sessions that they are in. */
function* kinOf(self: ProcessRow): Generator<ProcessRow> {
  const seen = new Set<number>();
  const open: number[] = [];
  let row: ProcessRow | undefined = self;
  while (row !== undefined && seen.size < ANCESTORS_MAX) {
    if (!seen.has(row.pid)) yield row;
    seen.add(row.pid);
    open.push(row.parent, row.session, row.group);
    row = undefined;
    while (open.length > 0 && row === undefined) {
      const pid = open.shift() ?? 0;
      const read = pid > 1 && !seen.has(pid) ? readProcess(pid) : undefined;
      row = typeof read === "object" ? read : undefined;
    }
  }
}

type Keepers = ReadonlyMap<number, { readonly session: string; readonly startedAt: string }>;

/** Keepers of this store by pid; the newest folders are enough, since a session that lives is among them. */
function keepersIn(sessions: string): Keepers {
  const found = new Map<number, { readonly session: string; readonly startedAt: string }>();
  for (const session of folders(sessions).slice(-KEEPERS_MAX)) {
    const identity = readIdentity(sessionFolder(sessions, session));
    if (identity.kind === "keeper")
      found.set(identity.keeper.pid, { session, startedAt: identity.keeper.startedAt });
  }
  return found;
}

function markedSession({ pid }: ProcessRow, sessions: string): CallerSession | null {
  const marks = marksOf(pid);
  const mark = marks.find((one) => one.startsWith(`${MARK_VARIABLE}=`));
  const session = mark === undefined ? null : sessionOfMark(mark, sessions);
  if (session === null) return null;
  const [run, attempt] = [valueIn(marks, "HOLDFAST_RUN"), valueIn(marks, "HOLDFAST_ATTEMPT")];
  return {
    session,
    ...(run === undefined ? {} : { run }),
    ...(attempt === undefined ? {} : { attempt }),
  };
}

const valueIn = (marks: readonly string[], name: string): string | undefined =>
  marks.find((mark) => mark.startsWith(`${name}=`))?.slice(name.length + 1);
