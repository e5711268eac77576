/** Builds the bytes of a write-ahead log from the published format alone, as a second opinion on the code under test. */

export interface WalPlan {
  /** Page numbers, transaction by transaction. */
  readonly transactions: readonly (readonly number[])[];
  /** Pages of one more transaction whose commit never came. */
  readonly unfinished?: readonly number[];
  readonly salts?: string;
  readonly bigEndianSums?: boolean;
}

const PAGE = 512;
export const FRAME = PAGE + 24;
const PAGES_AFTER = 9;

type Sum = [number, number];

function add(sum: Sum, bytes: Buffer, bigEndian: boolean): Sum {
  let [a, b] = sum;
  for (let at = 0; at < bytes.length; at += 8) {
    const x = bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
    const y = bigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4);
    a = (a + x + b) % 2 ** 32;
    b = (b + y + a) % 2 ** 32;
  }
  return [a, b];
}

export function builtWal({ transactions, unfinished = [], salts, bigEndianSums = false }: WalPlan): Buffer {
  const saltBytes = Buffer.from(salts ?? "a1b2c3d4e5f60718", "hex");
  const start = Buffer.alloc(24);
  start.writeUInt32BE(bigEndianSums ? 0x377f0683 : 0x377f0682, 0);
  start.writeUInt32BE(3007000, 4);
  start.writeUInt32BE(PAGE, 8);
  saltBytes.copy(start, 16);
  let sum = add([0, 0], start, bigEndianSums);
  const parts = [start, words(...sum)];
  const put = (page: number, pagesAfter: number): void => {
    const content = Buffer.alloc(PAGE, `page ${String(page)} of frame ${String(parts.length)} `);
    const [head, body] = [words(page, pagesAfter), content];
    sum = add(add(sum, head, bigEndianSums), body, bigEndianSums);
    parts.push(head, saltBytes, words(...sum), body);
  };
  for (const pages of transactions) {
    for (const [index, page] of pages.entries()) put(page, index === pages.length - 1 ? PAGES_AFTER : 0);
  }
  for (const page of unfinished) put(page, 0);
  return Buffer.concat(parts);
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}
