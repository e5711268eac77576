import { createHash } from "node:crypto";

/** A UUID that stands for a session: the same one however often it is asked for, before and after a crash. */
export function conversationName(mark: string): string {
  const bytes = createHash("sha256").update(`conversation ${mark}`).digest().subarray(0, 16);
  // Version 8 is the one for UUIDs made by rules of one's own.
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
