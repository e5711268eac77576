import { asText, isRecord, recordsOf, type JsonRecord } from "../json-values.ts";

/** What people said about calls that need their approval. */
export interface Approvals {
  /** Calls at the end of the history that still wait for a person: they have not run, and must not be answered. */
  readonly awaited: ReadonlySet<string>;
  /** Calls that a person refused, with the reason if there is one. */
  readonly denied: ReadonlyMap<string, string | undefined>;
}

export function readApprovals(messages: readonly unknown[]): Approvals {
  const blocks = messages.flatMap(blocksOf);
  const responses = new Map(
    blocks
      .filter((block) => block["type"] === "tool-approval-response")
      .map((block) => [asText(block["approvalId"]), block]),
  );
  const denied = new Map<string, string | undefined>();
  for (const request of blocks.filter(isRequest)) {
    const response = responses.get(asText(request["approvalId"]));
    if (response?.["approved"] !== false) continue;
    const { reason } = response;
    denied.set(asText(request["toolCallId"]), typeof reason === "string" ? reason : undefined);
  }
  const pending = blocksOf(messages.at(-1))
    .filter(isRequest)
    .filter((request) => !responses.has(asText(request["approvalId"])));
  return { awaited: new Set(pending.map((request) => asText(request["toolCallId"]))), denied };
}

const isRequest = (block: JsonRecord): boolean => block["type"] === "tool-approval-request";

const blocksOf = (message: unknown): readonly JsonRecord[] =>
  isRecord(message) ? recordsOf(message["content"]) : [];
