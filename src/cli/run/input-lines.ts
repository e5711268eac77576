import { createReadStream } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { errorText, Fault } from "../../model/fault.ts";
import type { Invocation } from "../shell/invocation.ts";

export interface InputLine {
  /** From 1, as editors count. */
  readonly number: number;
  readonly text: string;
}

const GZIP_MAGIC = [0x1f, 0x8b];

/** The lines of a file or of standard input that are not empty, unpacked where they are packed by gzip. */
export async function* inputLines(call: Invocation, word: string): AsyncGenerator<InputLine> {
  const name = word === "-" ? "standard input" : word;
  try {
    const source =
      word === "-" ? standardInput(call) : createReadStream(path.resolve(call.surroundings.cwd, word));
    const input = await unpacked(source);
    let number = 0;
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
      number += 1;
      if (text.trim() !== "") yield { number, text };
    }
  } catch (error) {
    throw cannotRead(name, error);
  }
}

/** What the one who asks has sent stands in the place of the server's own. */
export const standardInput = ({ serving }: Invocation): AsyncIterable<Buffer> =>
  serving === null ? process.stdin : Readable.from([Buffer.from(serving.input)]);

/** Whether a stream is packed is determined by its first bytes, not by its name. */
async function unpacked(source: AsyncIterable<Buffer>): Promise<Readable> {
  const pieces = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  const head = first.done === true ? Buffer.alloc(0) : first.value;
  const whole = Readable.from(withHead(head, pieces));
  if (!GZIP_MAGIC.every((byte, index) => head[index] === byte)) return whole;
  const unpacking = createGunzip();
  whole.on("error", (error) => unpacking.destroy(error));
  return whole.pipe(unpacking);
}

async function* withHead(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for (let piece = await rest.next(); piece.done !== true; piece = await rest.next()) yield piece.value;
}

function cannotRead(name: string, error: unknown): unknown {
  if (error instanceof Fault) return error;
  const { code } = error as NodeJS.ErrnoException;
  const options = { cause: error, details: { file: name } };
  if (code === "ENOENT")
    return new Fault(
      "not_found",
      `there is no file ${name}; expected a trace, one JSON object per line`,
      options,
    );
  if (code === "EISDIR")
    return new Fault("usage", `${name} is a folder; expected a file of JSON Lines`, options);
  return new Fault(
    "usage",
    `${name} cannot be read: ${errorText(error)}; expected JSON Lines, plain or packed by gzip`,
    options,
  );
}
