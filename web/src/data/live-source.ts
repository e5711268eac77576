import { holdfastClient } from "../../../src/api/client/client.ts";
import { openStream } from "./open-stream.ts";
import type { Source } from "./source.ts";

/** The server that has sent the page, by the session of this browser. */
export function liveSource(): Source {
  const client = holdfastClient();
  return {
    kind: "live",
    run: null,
    call: (name, input, options) =>
      (client[name] as (input: unknown, options?: unknown) => Promise<never>)(input, options),
    follow: (listener) => openStream(client, listener),
  };
}
