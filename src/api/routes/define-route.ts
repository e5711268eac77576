import type { z } from "zod";
import type { Role } from "../guard/roles.ts";
import type { HandlerContext } from "./handler-context.ts";
import type { RouteName } from "./route-paths.ts";

type Shape = z.ZodObject;

/** One route: all that the server, the client, the document and the tests know of it. */
export interface Route<
  P extends Shape = Shape,
  Q extends Shape = Shape,
  B extends z.ZodType = z.ZodType,
  A extends z.ZodType = z.ZodType,
  N extends RouteName = RouteName,
> {
  readonly name: N;
  readonly summary: string;
  /** Null: anybody may ask. */
  readonly role: Role | null;
  readonly isWrite: boolean;
  readonly params: P;
  readonly query: Q;
  /** Null: a request without a body. */
  readonly body: B | null;
  readonly answer: A;
  /** What the answer is sent as; `stream` writes its own. */
  readonly sends: "json" | "stream" | "lines";
  /** The largest body that is read. */
  readonly bodyBytesMax: number;
  /** Where the answer to a write under an Idempotency-Key is kept; `memory`: it is worthless without this process. */
  readonly kept: "disk" | "memory";
  /** A write that only asks runs: each of them records who asks, and decides whether they may. */
  readonly asksRuns: boolean;
  /** The commands of the command line that do the same. */
  readonly commands: readonly string[];
  readonly handle: (context: HandlerContext, input: Input<P, Q, B>) => Promise<HandlerAnswer>;
}

export interface Input<P extends Shape, Q extends Shape, B extends z.ZodType> {
  readonly params: z.infer<P>;
  readonly query: z.infer<Q>;
  readonly body: z.infer<B>;
}

export type HandlerAnswer =
  | {
      readonly kind: "document";
      readonly document: unknown;
      readonly status?: number;
      readonly exitCode?: number;
      readonly type?: string;
    }
  /** People's text, as the command line prints it. */
  | {
      readonly kind: "text";
      readonly text: string;
      readonly notes: string;
      readonly exitCode: number;
      readonly type?: string;
    }
  /** The handler has taken the connection over. */
  | { readonly kind: "taken" };

interface RouteOrder<P extends Shape, Q extends Shape, B extends z.ZodType, A extends z.ZodType> {
  readonly summary: string;
  readonly role: Role | null;
  readonly params: P;
  readonly query: Q;
  readonly body?: B;
  readonly answer: A;
  readonly sends?: Route["sends"];
  readonly bodyBytesMax?: number;
  readonly kept?: Route["kept"];
  readonly asksRuns?: boolean;
  readonly commands?: readonly string[];
  readonly handle: (context: HandlerContext, input: Input<P, Q, B>) => Promise<HandlerAnswer>;
}

const BODY_BYTES_MAX = 256 * 1024;

export function route<
  P extends Shape,
  Q extends Shape,
  B extends z.ZodType,
  A extends z.ZodType,
  N extends RouteName,
>(
  name: N,
  {
    body,
    sends = "json",
    bodyBytesMax = BODY_BYTES_MAX,
    kept = "disk",
    asksRuns = false,
    commands = [],
    ...order
  }: RouteOrder<P, Q, B, A>,
): Route<P, Q, B, A, N> {
  const isWrite = body !== undefined;
  return { ...order, name, isWrite, body: body ?? null, sends, bodyBytesMax, kept, asksRuns, commands };
}

/** Any route, for who treats all of them alike. Its handler is given what its own schemas have read. */
export type AnyRoute = Omit<Route, "handle"> & {
  readonly handle: (context: HandlerContext, input: never) => Promise<HandlerAnswer>;
};
