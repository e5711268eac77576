import type { ServerMessage, ViewerMessage } from "../../../../../src/api/terminal/messages.ts";

export interface TerminalListener {
  readonly onBytes: (bytes: Uint8Array) => void;
  readonly onMessage: (message: ServerMessage) => void;
  readonly onClose: () => void;
}

export interface TerminalSocket {
  readonly say: (message: ViewerMessage) => void;
  readonly close: () => void;
}

interface Ticket {
  readonly path: string;
  readonly protocols: readonly string[];
}

/** One connection to a terminal, with the ticket that it was asked for. */
export function terminalSocket({ path, protocols }: Ticket, hear: TerminalListener): TerminalSocket {
  const url = new URL(path, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(url, [...protocols]);
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
    if (typeof data === "string") hear.onMessage(JSON.parse(data) as ServerMessage);
    else hear.onBytes(new Uint8Array(data));
  };
  socket.onclose = () => hear.onClose();
  return {
    say: (message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
    close: () => socket.close(),
  };
}
