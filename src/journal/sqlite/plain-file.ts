import { existsSync } from "node:fs";
import type { World } from "../../model/world.ts";

/** Stands in until the guarded opening of the store's file is there. */
export function prepareStoreFile(file: string, _world: World, initialise: (file: string) => void): void {
  if (!existsSync(file)) initialise(file);
}

/** Stands in until the mark beside the store is there. */
export const openAcknowledgedMark = (
  _file: string,
): {
  last(): { position: number; hash: string } | null;
  note(position: number, hash: string): void;
  close(): void;
} => ({ last: () => null, note: () => undefined, close: () => undefined });
