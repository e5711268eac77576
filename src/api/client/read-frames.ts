/** One message of a stream of server-sent events. */
export interface Frame {
  readonly id: string | null;
  readonly event: string;
  readonly data: string | null;
}

const TEXT_CHARS_MAX = 64 * 1024 * 1024;

/** Reads server-sent events as they come in pieces; what is not ended yet is kept for the next piece. */
export function frameReader(): (piece: string) => Frame[] {
  let rest = "";
  return (piece) => {
    rest += piece;
    if (rest.length > TEXT_CHARS_MAX) throw new Error("a message of the stream is too long");
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? "";
    return blocks.map(frameOf);
  };
}

function frameOf(block: string): Frame {
  let id: string | null = null;
  let event = "message";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const at = line.indexOf(":");
    const [name, value] = at === -1 ? [line, ""] : [line.slice(0, at), line.slice(at + 1).replace(/^ /, "")];
    if (name === "id") id = value;
    if (name === "event") event = value;
    if (name === "data") data.push(value);
  }
  return { id, event, data: data.length === 0 ? null : data.join("\n") };
}
