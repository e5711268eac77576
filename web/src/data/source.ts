import type { AnswerOf, CallOptions, InputOf } from "../../../src/api/client/client.ts";
import type { RouteName } from "../../../src/api/routes/route-paths.ts";
import type { StreamMessage } from "./stream-protocol.ts";

export type CallName = Exclude<RouteName, "stream">;

/** Where the pages read from: a server, or an exported file. */
export interface Source {
  readonly kind: "live" | "file";
  /** The one run of a file; null for a store. */
  readonly run: string | null;
  /** Answers as the route of that name does. A file answers what it can and refuses the rest as `ApiProblem`. */
  readonly call: <Name extends CallName>(
    name: Name,
    input: InputOf<Name>,
    options?: CallOptions,
  ) => Promise<AnswerOf<Name>>;
  /** What happens from now on; answers how to stop. A file never calls it. */
  readonly follow: (listener: (message: StreamMessage) => void) => Following;
}

export interface Following {
  /** Events of these runs come with their data; of others, only that they happened. */
  readonly watch: (runs: readonly string[]) => void;
  readonly end: () => void;
}
