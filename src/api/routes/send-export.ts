import { once } from "node:events";
import { SECURITY_HEADERS } from "../guard/security-headers.ts";
import type { HandlerAnswer } from "./define-route.ts";
import type { HandlerContext } from "./handler-context.ts";

/** A reader that takes nothing for so long is cut off. */
const STOPPED_MS = 30_000;

/** Line by line as it is read: what is held of it does not depend on how long the run is. */
export async function sendExport(context: HandlerContext, text: string): Promise<HandlerAnswer> {
  const { operations, response, signal } = context;
  const lines = await operations.exportLines(await operations.findRun(text));
  response.writeHead(200, { ...SECURITY_HEADERS, "content-type": "application/jsonl; charset=utf-8" });
  try {
    for await (const line of lines)
      if (!response.write(line))
        await once(response, "drain", { signal: AbortSignal.any([signal, AbortSignal.timeout(STOPPED_MS)]) });
    response.end();
  } catch {
    // It cannot be reported any more: an export without its last line is found to be cut short by who reads it.
    response.destroy();
  }
  return { kind: "taken" };
}
