import type { ApiRoutes } from "../routes/route-table.ts";
import { API_PREFIX, ROUTE_PATHS, type RouteName } from "../routes/route-paths.ts";
import type { z } from "zod";
import { ApiProblem } from "./api-problem.ts";
import { followStream, type StreamOptions, type StreamedEvent } from "./follow-stream.ts";

/** A route, by its name. */
export type ClientRoute = RouteName;

type RouteOf<Name extends RouteName> = Extract<ApiRoutes[number], { readonly name: Name }>;
type Named = { [Name in RouteName]: Name };

export interface ClientOptions {
  /** Where the server is, such as `http://127.0.0.1:4377`; in a page of it, nothing. */
  readonly url?: string;
  /** Left out in a page, where a session stands for it. */
  readonly token?: string;
  /** In the place of the platform's own. */
  readonly fetch?: typeof fetch;
  /** On every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CallOptions {
  /** The request is kept under it: a call that is repeated with it, after a lost answer for instance, asks once. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export interface RouteInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamsOf<Rest>
  : never;
type PathOf<Name extends RouteName> = (typeof ROUTE_PATHS)[Name][1];
type MethodOf<Name extends RouteName> = (typeof ROUTE_PATHS)[Name][0];

/** What a route of the table is called with, and what it answers; the types come from its schemas. */
export type InputOf<Name extends RouteName> = ([ParamsOf<PathOf<Name>>] extends [never]
  ? { readonly params?: undefined }
  : { readonly params: Readonly<Record<ParamsOf<PathOf<Name>>, string>> }) & {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
} & (MethodOf<Name> extends "POST"
    ? { readonly body: BodyOf<RouteOf<Name & Named[Name]>> }
    : { readonly body?: undefined });

type BodyOf<R> = R extends { readonly body: infer B }
  ? NonNullable<B> extends z.ZodType
    ? z.input<NonNullable<B>>
    : unknown
  : unknown;
export type AnswerOf<Name extends RouteName> =
  RouteOf<Name> extends { readonly answer: infer A }
    ? A extends z.ZodType
      ? z.output<A>
      : unknown
    : unknown;

export type ApiClient = {
  readonly [Name in Exclude<RouteName, "stream">]: (
    input: InputOf<Name>,
    options?: CallOptions,
  ) => Promise<AnswerOf<Name>>;
} & {
  /** What happens from now on, or behind a cursor; it goes on by itself where the connection is lost. */
  readonly stream: (options?: StreamOptions) => AsyncGenerator<StreamedEvent>;
  /** The answer as it came, for who wants people's text or the head. */
  readonly send: (name: RouteName, input: RouteInput, options?: SendOptions) => Promise<Response>;
};

export interface SendOptions extends CallOptions {
  readonly accept?: string;
}

const isProblem = (response: Response): boolean => !response.ok;

/** The client of the API, for Node and for browsers. It knows every route by the table that the server is made of. */
export function holdfastClient(options: ClientOptions = {}): ApiClient {
  const { url = "", token, fetch: ask = globalThis.fetch.bind(globalThis), headers = {} } = options;
  const own: Record<string, string> =
    token === undefined ? { ...headers } : { ...headers, authorization: `Bearer ${token}` };

  const send: ApiClient["send"] = async (
    name,
    input,
    { idempotencyKey, signal, accept = "application/json" } = {},
  ) => {
    const [method, path] = ROUTE_PATHS[name];
    const response = await ask(`${url}${API_PREFIX}${filled(path, input.params)}${queryText(input.query)}`, {
      method,
      headers: {
        ...own,
        accept,
        ...(method === "POST" ? { "content-type": "application/json" } : {}),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      },
      ...(method === "POST" ? { body: JSON.stringify(input.body ?? {}) } : {}),
      ...(signal === undefined ? {} : { signal }),
      credentials: "same-origin",
      redirect: "error",
    });
    if (isProblem(response)) throw await ApiProblem.of(response);
    return response;
  };

  const call = async (name: RouteName, input: RouteInput = {}, more?: CallOptions): Promise<unknown> => {
    const response = await send(name, input, more);
    const type = response.headers.get("content-type") ?? "";
    return type.startsWith("application/json;") ? response.json() : response.text();
  };

  const methods = Object.fromEntries(
    Object.keys(ROUTE_PATHS).map((name) => [
      name,
      (input?: RouteInput, more?: CallOptions) => call(name as RouteName, input, more),
    ]),
  );
  const stream = (wish: StreamOptions = {}): AsyncGenerator<StreamedEvent> =>
    followStream(
      { url: `${url}${API_PREFIX}${ROUTE_PATHS.stream[1]}`, headers: own, fetch: ask, queryText },
      wish,
    );
  return { ...methods, stream, send } as unknown as ApiClient;
}

const filled = (path: string, params: RouteInput["params"] = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));

function queryText(query: RouteInput["query"] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`],
  );
  return given.length === 0 ? "" : `?${given.join("&")}`;
}
