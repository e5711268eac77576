import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { ApiOptions, sessionBehind } from "../../main.ts";

type AgentBehind = ApiOptions["agentBehind"];
type Found = Awaited<ReturnType<AgentBehind>>;
type SessionBehind = typeof sessionBehind;
type Connection = Parameters<SessionBehind>[1];

/**
 * Whose process is at the other end: looked for once for each connection, which costs a look at all processes of this
 * user. One that hands its end to another process cannot become a person by that: those that hold it are all looked at.
 */
export function agentBehind(store: string, look: SessionBehind): AgentBehind {
  const known = new WeakMap<Socket, Found>();
  return async ({ socket }: IncomingMessage) => {
    const before = known.get(socket);
    if (before !== undefined) return before;
    const connection = connectionOf(socket);
    const session = connection === null ? null : look(store, connection);
    const found: Found =
      session === null
        ? null
        : { run: session.run ?? null, attempt: session.attempt ?? session.session, proof: "process" };
    known.set(socket, found);
    return found;
  };
}

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;

/** Null for another machine, where nothing can be looked at. */
function connectionOf(socket: Socket): Connection | null {
  const { remoteAddress, remotePort, localPort, localAddress } = socket;
  if (remotePort !== undefined && localPort !== undefined)
    return LOOPBACK.test(remoteAddress ?? "") || remoteAddress === localAddress
      ? { kind: "tcp", localPort, remotePort }
      : null;
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly fd?: number } | null };
  return handle?.fd === undefined || handle.fd < 0 ? null : { kind: "unix", descriptor: handle.fd };
}
