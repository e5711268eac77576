import { callerSession, sessionOfAny, type CallerSession } from "./agents/keeper/caller-session.ts";
import { peerProcesses, type PeerConnection } from "./agents/peer-process.ts";
import { sessionsFolderOf } from "./open-store.ts";

export type { CallerSession };

/** The agent's session of a store that this very process is part of; the store itself is not opened. */
export const callerOfStore = (store: string): CallerSession | null => callerSession(sessionsFolderOf(store));

/** The same of the process at the other end of a connection; null where none can be found. */
export const sessionBehind = (store: string, connection: PeerConnection): CallerSession | null =>
  sessionOfAny(peerProcesses(connection), sessionsFolderOf(store));
