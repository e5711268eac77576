/** As `node:zlib` has it: to load that for a few sums of some bytes takes longer than everything they are for. */
export function crc32(data: Uint8Array | string, before = 0): number {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  let sum = ~before >>> 0;
  for (const byte of bytes) sum = (TABLE[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8);
  return ~sum >>> 0;
}

const POLYNOMIAL = 0xedb88320;

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let sum = index;
  for (let bit = 0; bit < 8; bit += 1) sum = (sum & 1) === 1 ? POLYNOMIAL ^ (sum >>> 1) : sum >>> 1;
  return sum;
});
