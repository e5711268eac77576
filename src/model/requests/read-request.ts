import type { RunEvent } from "../events/events.ts";
import { requestSchema, type RunRequest } from "./requests.ts";

export type ReadRequest =
  | { readonly kind: "request"; readonly request: RunRequest }
  | { readonly kind: "refused"; readonly event: RunEvent };

/** As much of a row of the inbox as is needed to read its request. */
export interface AskedRow {
  readonly id: string;
  readonly request: unknown;
  /** Why the row itself cannot be read. */
  readonly damaged?: string | undefined;
}

/** Anybody may write to an inbox: what is no request is refused by name, and answered like one. */
export function readRequest({ id, request, damaged }: AskedRow): ReadRequest {
  const read = requestSchema.safeParse(request);
  if (damaged === undefined && read.success) return { kind: "request", request: read.data };
  const why = damaged ?? problemOf(read.error?.issues[0]);
  const text = `request ${id} cannot be read: ${why}; nothing was changed — ask again with a command of this version`;
  return {
    kind: "refused",
    event: {
      type: "RequestAnswered",
      data: { requestId: id, answer: { kind: "refused", text, allowedIn: [] } },
    },
  };
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

const problemOf = (issue: Issue | undefined): string =>
  issue === undefined || issue.path.length === 0
    ? (issue?.message ?? "it is no request")
    : `${issue.path.map(String).join(".")}: ${issue.message}`;
