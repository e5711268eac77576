import { holdfastClient } from "../../../src/api/client/client.ts";
import { StreamHub } from "./stream-hub.ts";
import type { StreamMessage, TabMessage } from "./stream-protocol.ts";

/** One stream for all tabs of a browser: it allows six connections for each host. */
const hub = new StreamHub(holdfastClient());

interface SharedScope {
  onconnect: ((event: MessageEvent) => void) | null;
}

(globalThis as unknown as SharedScope).onconnect = ({ ports: [port] }) => {
  if (port === undefined) return;
  const tell = (message: StreamMessage): void => port.postMessage(message);
  port.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === "watch") hub.watch(tell, data.runs);
    else hub.remove(tell);
  };
  hub.add(tell);
};
