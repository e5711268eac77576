import type { IncomingMessage } from "node:http";
import type { Refusal } from "../guard/refusal.ts";

export type ReadBody =
  | { readonly kind: "read"; readonly text: string }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** The one who asks has gone. */
  | { readonly kind: "gone" };

export interface BodyLimits {
  readonly bytesMax: number;
  readonly withinMs: number;
}

/** The whole body, within its bounds of size and of time; what is beyond is not kept. */
export function readBody(request: IncomingMessage, { bytesMax, withinMs }: BodyLimits): Promise<ReadBody> {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > bytesMax) return Promise.resolve(tooLarge(bytesMax));
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const end = (outcome: ReadBody): void => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      resolve(outcome);
    };
    const onData = (piece: Buffer): void => {
      bytes += piece.length;
      if (bytes > bytesMax) end(tooLarge(bytesMax));
      else pieces.push(piece);
    };
    const onEnd = (): void => end({ kind: "read", text: Buffer.concat(pieces).toString("utf8") });
    const onClose = (): void => end({ kind: "gone" });
    const timer = setTimeout(() => end(tooSlow(withinMs)), withinMs);
    request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });
}

const tooLarge = (bytesMax: number): ReadBody => ({
  kind: "refused",
  refusal: {
    status: 413,
    code: "too_large",
    detail: "the body is larger than this route takes",
    expected: `at most ${String(bytesMax)} bytes`,
  },
});

const tooSlow = (withinMs: number): ReadBody => ({
  kind: "refused",
  refusal: {
    status: 408,
    code: "too_slow",
    detail: "the body did not arrive in time",
    expected: `all of it within ${String(withinMs / 1_000)} s`,
  },
});
