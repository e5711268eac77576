import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net";

export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly port: number;
  readonly received: Received[];
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

/** A real HTTP server on loopback that answers as it is told. */
export async function httpReceiver(
  answer: (response: ServerResponse, request: IncomingMessage, count: number) => void,
  port = 0,
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString("utf8") });
      answer(response, request, received.length);
    });
  });
  return listen(server, received, port);
}

/** A TCP server that says bytes of its own, no matter what it is asked. */
export function rawReceiver(answer: (socket: Socket) => void): Promise<Receiver> {
  return listen(
    createTcpServer((socket) => {
      socket.once("data", () => answer(socket));
      socket.on("error", () => undefined);
    }),
    [],
  );
}

async function listen(server: Server, received: Received[], port = 0): Promise<Receiver> {
  const sockets = new Set<Socket>();
  // A test that fails before it closes its receiver must not keep its file from ending.
  server.unref();
  server.on("connection", (socket: Socket) => {
    socket.unref();
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    received,
    sockets,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
