import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { LookupFunction } from "node:net";
import { errorText } from "../model/fault.ts";
import type { World } from "../model/world.ts";
import type { Address } from "./address-guard.ts";
import { addressesOf, type Resolve, targetOf } from "./guarded-target.ts";
import type { PostAnswer, PostJson } from "./notifier.ts";

export interface Post {
  readonly url: URL;
  /** The only ones that are connected to. */
  readonly addresses: readonly Address[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For all of it: connecting, sending, and receiving what comes of the answer. */
  readonly limitMs: number;
  /** So much of the answer's body is read. */
  readonly answerBytesMax?: number;
  readonly signal?: AbortSignal;
}

const ANSWER_BYTES_MAX = 1_024;

/** One exchange on a connection of its own. The status is the answer: a body that is slow, cut or endless is not. */
export function postOnce(world: World, post: Post): Promise<PostAnswer> {
  return new Promise((resolve) => {
    let answer: PostAnswer = { kind: "none", text: `no answer within ${String(post.limitMs)} ms` };
    const request = open(post);
    const finish = (): void => {
      cancel();
      resolve(answer);
      request.destroy();
    };
    const cancel = world.timer(post.limitMs, finish);
    request.on("error", (error) => {
      if (answer.kind === "none") answer = { kind: "none", text: textOf(error) };
      else return;
      finish();
    });
    request.on("response", (response) => {
      const { statusCode = 0, headers } = response;
      const head = { kind: "answered", status: statusCode, retryAfter: headers["retry-after"] } as const;
      answer = { ...head, beginning: "", whole: false };
      readBeginning(response, post.answerBytesMax ?? ANSWER_BYTES_MAX, (beginning, whole) => {
        answer = { ...head, beginning, whole };
      }).then(finish, finish);
    });
    // Such as an answer that changes the protocol: a connection that closes without a response is no answer.
    request.on("close", () => {
      if (answer.kind === "none") finish();
    });
    request.end(post.body);
  });
}

function open({ url, addresses, headers, body, signal }: Post): ClientRequest {
  const lookup: LookupFunction = (_hostname, options, give) => {
    const [first] = addresses;
    if (options.all === true) give(null, [...addresses]);
    else if (first !== undefined) give(null, first.address, first.family);
  };
  const options: RequestOptions = {
    method: "POST",
    agent: false,
    ...(signal === undefined ? {} : { signal }),
    lookup,
    headers: {
      ...headers,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "user-agent": "holdfast",
      connection: "close",
    },
  };
  // Not imported: Node would load a whole client of its own for every short command, and few of them post anything.
  const isSecure = url.protocol === "https:";
  const { request } = process.getBuiltinModule(isSecure ? "node:https" : "node:http");
  return request(url, options);
}

async function readBeginning(
  response: IncomingMessage,
  bytesMax: number,
  report: (beginning: string, whole: boolean) => void,
): Promise<void> {
  let beginning = Buffer.alloc(0);
  for await (const chunk of response as AsyncIterable<Buffer>) {
    beginning = Buffer.concat([beginning, chunk.subarray(0, bytesMax - beginning.length)]);
    report(beginning.toString("utf8"), beginning.length >= bytesMax);
    if (beginning.length >= bytesMax) return;
  }
  report(beginning.toString("utf8"), response.complete);
}

/** Several addresses that failed are reported as one error without words of its own. */
const textOf = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map(errorText).join("; ") : errorText(error);

/** Posts JSON to the address of a hook under the same rules as webhooks; only addresses that passed are connected to. */
export const guardedPost =
  (options: { readonly world: World; readonly resolve?: Resolve }): PostJson =>
  async ({ url: text, allowPrivate, limitMs, ...post }) => {
    const guard = { name: "hook", allowPrivate, limitMs };
    const deadlineMs = options.world.now() + limitMs;
    const target = targetOf(text, guard);
    if ("problem" in target) return { kind: "none", text: target.problem };
    const addresses = await addressesOf(options, target.url, guard);
    if ("problem" in addresses)
      return { kind: "none", text: `hook ${target.url.host}: ${addresses.problem}` };
    const leftMs = Math.max(1, deadlineMs - options.world.now());
    return postOnce(options.world, {
      ...post,
      url: target.url,
      addresses: addresses.found,
      headers: {},
      limitMs: leftMs,
    });
  };
