import assert from "node:assert/strict";
import { WebSocket } from "ws";
import type { ServerMessage, ViewerMessage } from "../../../src/api/terminal/messages.ts";
import type { ApiBench } from "../api-bench.ts";

export interface ConnectOptions {
  readonly protocols: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
}

/** The status with which a connection was refused, or the open viewer. */
export function connectViewer(bench: ApiBench, options: ConnectOptions): Promise<TerminalViewer | number> {
  const { protocols, headers = {}, path = "/api/v1/terminal" } = options;
  const socket = new WebSocket(`ws://127.0.0.1:${String(bench.port)}${path}`, [...protocols], { headers });
  const viewer = new TerminalViewer(socket);
  return new Promise((resolve, reject) => {
    socket.on("open", () => resolve(viewer));
    socket.on("unexpected-response", (_, response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    socket.on("error", reject);
  });
}

/** One viewer of a terminal, as a page would be. */
export class TerminalViewer {
  readonly #socket: WebSocket;
  readonly messages: ServerMessage[] = [];
  screen = "";
  #changed: () => void = () => undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer, isBinary) => {
      if (isBinary) this.screen += data.toString("utf8");
      else this.messages.push(JSON.parse(data.toString("utf8")) as ServerMessage);
      this.#changed();
    });
  }

  say(message: ViewerMessage): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** Waits until what was seen fits; the messages that it looks at are those since `from`. */
  async sees(what: string, fits: (viewer: this) => boolean): Promise<void> {
    const until = Date.now() + 20_000;
    while (!fits(this)) {
      const leftMs = until - Date.now();
      if (leftMs <= 0)
        assert.fail(
          `never saw ${what}; messages ${JSON.stringify(this.messages)}, screen ${JSON.stringify(this.screen.slice(-500))}`,
        );
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.#changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  of<Kind extends ServerMessage["kind"]>(kind: Kind): Extract<ServerMessage, { kind: Kind }>[] {
    return this.messages.filter((one) => one.kind === kind) as Extract<ServerMessage, { kind: Kind }>[];
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.readyState === WebSocket.CLOSED) return resolve();
      this.#socket.once("close", () => resolve());
      this.#socket.close();
    });
  }
}
