import { renameSync, writeFileSync } from "node:fs";
import { plainTextIfAny, RECORD_BYTES_MAX } from "../../files/plain-file.ts";

/** A small file of ours says this; somebody who reads it meanwhile sees the old text or the new one, never a part. */
export function settleFile(file: string, text: string): void {
  if (plainTextIfAny(file, { bytesMax: RECORD_BYTES_MAX }) === text) return;
  const draft = `${file}.${String(process.pid)}.draft`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}
