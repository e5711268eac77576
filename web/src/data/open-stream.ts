import type { ApiClient } from "../../../src/api/client/client.ts";
import type { Following } from "./source.ts";
import { StreamHub } from "./stream-hub.ts";
import type { StreamMessage, TabMessage } from "./stream-protocol.ts";

type Listener = (message: StreamMessage) => void;

/** The stream that all tabs share; where the browser has no shared workers, one of this page's own. */
export function openStream(client: ApiClient, listener: Listener): Following {
  const script = document.querySelector<HTMLMetaElement>('meta[name="holdfast-stream"]')?.content ?? "";
  if (script !== "" && typeof SharedWorker === "function") return sharedStream(client, { script, listener });
  return ownStream(client, listener);
}

function ownStream(client: ApiClient, listener: Listener): Following {
  const hub = new StreamHub(client);
  hub.add(listener);
  return { watch: (runs) => hub.watch(listener, runs), end: () => hub.remove(listener) };
}

interface Shared {
  readonly script: string;
  readonly listener: Listener;
}

function sharedStream(client: ApiClient, { script, listener }: Shared): Following {
  let own: Following | null = null;
  let watched: readonly string[] = [];
  let worker = connect();

  function connect(): SharedWorker {
    const made = new SharedWorker(script, { type: "module", name: "holdfast-stream" });
    made.port.onmessage = ({ data }: MessageEvent<StreamMessage>) => listener(data);
    // A worker that cannot be loaded must not leave the page without news.
    made.onerror = () => {
      if (own !== null) return;
      own = ownStream(client, listener);
      own.watch(watched);
    };
    return made;
  }

  const tell = (message: TabMessage): void => worker.port.postMessage(message);
  const bye = (): void => tell({ kind: "bye" });
  const back = ({ persisted }: PageTransitionEvent): void => {
    if (!persisted) return;
    worker = connect();
    tell({ kind: "watch", runs: watched });
  };
  window.addEventListener("pagehide", bye);
  window.addEventListener("pageshow", back);
  return {
    watch(runs) {
      watched = runs;
      if (own === null) tell({ kind: "watch", runs });
      else own.watch(runs);
    },
    end() {
      window.removeEventListener("pagehide", bye);
      window.removeEventListener("pageshow", back);
      bye();
      own?.end();
    },
  };
}
