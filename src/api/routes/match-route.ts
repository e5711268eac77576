import type { Refusal } from "../guard/refusal.ts";
import type { AnyRoute } from "./define-route.ts";
import { API_PREFIX, ROUTE_PATHS, type RouteName } from "./route-paths.ts";
import { ROUTES } from "./route-table.ts";

export interface Matched {
  readonly kind: "matched";
  readonly route: AnyRoute;
  readonly params: Readonly<Record<string, string>>;
}

interface Row {
  readonly route: AnyRoute;
  readonly method: string;
  readonly segments: readonly string[];
}

const segmentsOf = (path: string): string[] => path.split("/").slice(1);

const ROWS: readonly Row[] = ROUTES.map((route: AnyRoute) => {
  const [method, path] = ROUTE_PATHS[route.name satisfies RouteName];
  return { route, method, segments: segmentsOf(path) };
});

/** The route of a method and a path below the prefix; a path is taken apart before anything in it is decoded. */
export function matchRoute(method: string, path: string): Matched | Refusal {
  const words = segmentsOf(path.slice(API_PREFIX.length));
  const here = ROWS.filter(({ segments }) => fits(segments, words));
  const row = here.find((one) => one.method === method);
  if (row !== undefined) {
    const params = paramsOf(row.segments, words);
    return params === null ? noRoute(path) : { kind: "matched", route: row.route, params };
  }
  const methods = here.map((one) => one.method).join(", ");
  if (methods === "") return noRoute(path);
  return {
    status: 405,
    code: "method_refused",
    detail: `${method.slice(0, 20)} is not a method of this route`,
    expected: methods,
    headers: { allow: methods },
  };
}

const isParam = (segment: string): boolean => segment.startsWith("{");

const fits = (segments: readonly string[], words: readonly string[]): boolean =>
  segments.length === words.length &&
  segments.every((segment, at) => (isParam(segment) ? words[at] !== "" : segment === words[at]));

function paramsOf(segments: readonly string[], words: readonly string[]): Record<string, string> | null {
  const found: Record<string, string> = {};
  for (const [at, segment] of segments.entries()) {
    if (!isParam(segment)) continue;
    const text = decoded(words[at] ?? "");
    if (text === null) return null;
    found[segment.slice(1, -1)] = text;
  }
  return found;
}

function decoded(word: string): string | null {
  try {
    return decodeURIComponent(word);
  } catch {
    // A lone percent sign is no part of a path that we give out.
    return null;
  }
}

const noRoute = (path: string): Refusal => ({
  status: 404,
  code: "no_such_route",
  detail: `there is no route ${JSON.stringify(path.slice(0, 200))}`,
  expected: `a route of ${API_PREFIX}/openapi.json`,
});
