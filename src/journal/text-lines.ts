/** One line of a stream of bytes, without its end. */
export type TextLine =
  /** `ended`: a line break follows; otherwise the stream ends here. */
  | { readonly kind: "text"; readonly text: string; readonly ended: boolean }
  /** Longer than was allowed; nothing more is read. */
  | { readonly kind: "too long" }
  /** Bytes that are no UTF-8. */
  | { readonly kind: "not text" };

const LINE_END = 0x0a;

/** The lines of a stream; never more of it is kept than one line and one piece of the stream. */
export async function* textLines(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<TextLine> {
  let kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length;) {
      const end = piece.indexOf(LINE_END, from);
      const part = piece.subarray(from, end === -1 ? piece.length : end);
      kept.push(part);
      bytes += part.length;
      if (bytes > bytesMax) {
        yield { kind: "too long" };
        return;
      }
      if (end === -1) break;
      yield decoded(kept, { ended: true });
      kept = [];
      bytes = 0;
      from = end + 1;
    }
  }
  if (bytes > 0) yield decoded(kept, { ended: false });
}

function decoded(parts: readonly Uint8Array[], { ended }: { readonly ended: boolean }): TextLine {
  try {
    return {
      kind: "text",
      text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts)),
      ended,
    };
  } catch (error) {
    if (error instanceof TypeError) return { kind: "not text" };
    throw error;
  }
}
