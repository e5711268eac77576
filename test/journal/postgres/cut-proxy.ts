import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** Stands between a client and a server, and can stop forwarding without closing anything, as a dead network does. */
export interface CutProxy {
  readonly port: number;
  /** Connections that stand now lose from here on what goes in the named directions; nobody is informed. */
  cut(...directions: readonly Direction[]): void;
  /** Whether connections made from now on get through at all. */
  letIn(newOnes: boolean): void;
  close(): Promise<void>;
}

export type Direction = "requests" | "answers";

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  readonly lost: Set<Direction>;
}

export async function startCutProxy(serverPort: number): Promise<CutProxy> {
  const pairs = new Set<Pair>();
  let open = true;
  const listener = createServer((client) => {
    if (!open) return void client.on("error", () => undefined).pause();
    const server = connect(serverPort, "127.0.0.1");
    const pair: Pair = { client, server, lost: new Set() };
    pairs.add(pair);
    client.on("data", (bytes) => !pair.lost.has("requests") && server.write(bytes));
    server.on("data", (bytes) => !pair.lost.has("answers") && client.write(bytes));
    // An end or an error travels only as far as the network does.
    for (const end of ["end", "error", "close"]) {
      client.on(end, () => !pair.lost.has("requests") && server.destroy());
      server.on(end, () => !pair.lost.has("answers") && client.destroy());
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const sockets = new Set<Socket>();
  listener.on("connection", (socket) => sockets.add(socket));
  return {
    port: (listener.address() as AddressInfo).port,
    cut(...directions) {
      for (const { lost } of pairs) for (const direction of directions) lost.add(direction);
    },
    letIn: (newOnes) => void (open = newOnes),
    close() {
      for (const { server } of pairs) server.destroy();
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
}
