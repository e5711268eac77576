import { tokenStore } from "./api/guard/token-store.ts";
import type { Operations } from "./api/routes/handler-context.ts";
import { checkListening, readListen } from "./api/server/listening.ts";
import type { ApiOptions, RunningApi } from "./api/server/start-api.ts";

/** The API over HTTP; its code is loaded where it is served. */
export const api = {
  start: async (options: ApiOptions): Promise<RunningApi> =>
    (await import("./api/server/start-api.ts")).startApi(options),
  readListen,
  checkListening,
  tokenStore,
} as const;

export type { ApiOptions, Operations };
