import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { errorText, Fault } from "../model/fault.ts";
import { isoTime } from "../model/text/iso-time.ts";
import type { Usage } from "./vendor.ts";

/** One request as it was received. Neither headers nor words of the conversation are kept, so no secret is. */
export interface LoggedRequest {
  readonly at: string;
  readonly method: string;
  /** Without the query, in which some vendors' keys stand. */
  readonly path: string;
  readonly session: string;
  readonly vendor: string | null;
  /** `aside`: beside the conversation. `refused`: answered as the vendor answers what breaks its rules. */
  readonly as: "turn" | "aside" | "refused" | "count" | "models" | "socket" | "other";
  readonly model: string | null;
  readonly stream: boolean;
  readonly messages: number;
  readonly tools: readonly string[];
  /** Which turn of the script it was answered with, counted from 0. */
  readonly position: number | null;
  readonly fault: string | null;
  /** The status it is answered with; null where no answer is begun. */
  readonly status: number | null;
  /** The tokens that the answer reports, `cachedInput` being a part of `input`; null where none is begun. */
  readonly usage: Usage | null;
  /** Why it was refused. */
  readonly refusal: string | null;
  /** SHA-256 of its body. */
  readonly digest: string;
}

/** Written as soon as it is known how a request will be answered, so that one that hangs is on record too. */
export class RequestLog {
  readonly requests: LoggedRequest[] = [];
  readonly #file: string | undefined;
  readonly #notify: (request: LoggedRequest) => void;

  constructor(file: string | undefined, notify: (request: LoggedRequest) => void) {
    this.#file = file;
    this.#notify = notify;
    if (file !== undefined) append(file, "");
  }

  add(request: Omit<LoggedRequest, "at" | "digest">, body: string): LoggedRequest {
    const logged = {
      at: isoTime(Date.now()),
      ...request,
      digest: createHash("sha256").update(body).digest("hex"),
    };
    this.requests.push(logged);
    if (this.requests.length > REQUESTS_KEPT_MAX) this.requests.shift();
    if (this.#file !== undefined) append(this.#file, `${JSON.stringify(logged)}\n`);
    this.#notify(logged);
    return logged;
  }
}

/** I7: an agent that loops makes a thousand requests a minute; the file has them all. */
const REQUESTS_KEPT_MAX = 10_000;

function append(file: string, text: string): void {
  try {
    appendFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new Fault(
      "usage",
      `the log ${file} cannot be written: ${errorText(error)}; name another with --log`,
      {
        cause: error,
      },
    );
  }
}
