import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { Readable } from "node:stream";

const EMPTY: readonly number[] = [204, 205, 304];

/** As much of `fetch` as the client of the API asks for, with certificates of one's own: the platform's takes none. */
export const nodeFetch =
  (ca: string | null): typeof fetch =>
  (input, { method = "GET", headers = {}, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const ask = url.protocol === "https:" ? tlsRequest : plainRequest;
      const asked = ask(
        url,
        {
          method,
          headers: headers as Record<string, string>,
          ...(signal instanceof AbortSignal ? { signal } : {}),
          ...(ca === null ? {} : { ca }),
        },
        (response) => {
          const { statusCode = 500, headers: head } = response;
          const received = new Headers();
          for (const [name, value] of Object.entries(head))
            if (value !== undefined) received.set(name, Array.isArray(value) ? value.join(", ") : value);
          const isEmpty = EMPTY.includes(statusCode);
          if (isEmpty) response.resume();
          const stream = isEmpty ? null : Readable.toWeb(response);
          resolve(new Response(stream as ReadableStream | null, { status: statusCode, headers: received }));
        },
      );
      asked.on("error", reject);
      asked.end(typeof body === "string" ? body : undefined);
    });
