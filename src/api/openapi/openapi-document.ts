import { z } from "zod";
import { problemAnswer } from "../routes/answers.ts";
import type { AnyRoute } from "../routes/define-route.ts";
import { API_PREFIX, ROUTE_PATHS } from "../routes/route-paths.ts";
import { ROUTES } from "../routes/route-table.ts";
import { EXAMPLES } from "./examples.ts";

type Json = Readonly<Record<string, unknown>>;

let made: Json | null = null;

/** The contract as an OpenAPI 3.1 document, made of the schemas by which requests are read. */
export function openApiDocument(): Json {
  made ??= {
    openapi: "3.1.0",
    info: {
      title: "Holdfast",
      version: "1",
      description:
        "Agents that work for hours: what they do, what they wait for, and what can be asked of them.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: API_PREFIX }],
    security: [{ token: [] }, { session: [] }],
    paths: pathsOf(ROUTES),
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "cookie", name: "holdfast_PORT" },
      },
      schemas: { Problem: schemaOf(problemAnswer, "output") },
    },
  };
  return made;
}

function pathsOf(routes: readonly AnyRoute[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const [method, path] = ROUTE_PATHS[route.name];
    (paths[path] ??= {})[method.toLowerCase()] = operationOf(route);
  }
  return paths;
}

function operationOf(route: AnyRoute): Json {
  const { name, summary, role, body, commands } = route;
  return {
    operationId: name,
    summary,
    ...(role === null ? { security: [] } : {}),
    "x-holdfast-role": role ?? "none",
    ...(commands.length === 0 ? {} : { "x-holdfast-commands": commands }),
    parameters: [
      ...parametersOf(route.params, "path"),
      ...parametersOf(route.query, "query"),
      ...(route.isWrite ? [KEY_PARAMETER] : []),
    ],
    ...(body === null
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              "application/json": { schema: schemaOf(body, "input"), ...exampleOf(name, "request") },
            },
          },
        }),
    responses: {
      "200": {
        description: "Done.",
        content: {
          [typeOf(route)]: { schema: schemaOf(route.answer, "output"), ...exampleOf(name, "answer") },
        },
      },
      default: {
        description: "A problem document (RFC 9457).",
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  };
}

const KEY_PARAMETER = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "The request is kept under this id: asked again with it, it is done once.",
  schema: { type: "string", pattern: "^[\\w.:-]{1,200}$" },
} as const;

const TYPES: Readonly<Record<AnyRoute["sends"], string>> = {
  json: "application/json",
  stream: "text/event-stream",
  lines: "application/jsonl",
};
const typeOf = ({ sends }: AnyRoute): string => TYPES[sends];

function exampleOf(name: AnyRoute["name"], part: "request" | "answer"): Json {
  const example = EXAMPLES[name]?.[part];
  return example === undefined ? {} : { example };
}

function parametersOf(shape: z.ZodObject, place: "path" | "query"): Json[] {
  const { properties = {}, required = [] } = schemaOf(shape, "input") as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const made: Record<string, unknown> = z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
    unrepresentable: "any",
  });
  return Object.fromEntries(Object.entries(made).filter(([name]) => name !== "$schema"));
}
