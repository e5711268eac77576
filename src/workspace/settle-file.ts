import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** A small file of ours says this; somebody who reads it meanwhile sees the old text or the new one, never a part. */
export function settleFile(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  const draft = `${file}.${String(process.pid)}.draft`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
