import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { TableName } from "./brake-cells.ts";
import type { Played } from "./played.ts";

const RECORD = path.join(import.meta.dirname, "last-played.json");

/** A cell that was played, as it is kept. */
export interface KeptCell extends Played {
  readonly table: TableName;
  readonly agent: string;
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** How often it did not pass on this commit before. */
  readonly failures: number;
  /** The product's, with a mark where its files differed from it. */
  readonly commit: string;
}

export const keyOf = ({ table, agent, name }: Pick<KeptCell, "table" | "agent" | "name">): string =>
  `${table} | ${agent} | ${name}`;

/** The last play of every cell that was ever played, by its key. */
export function readKept(): Map<string, KeptCell> {
  if (!existsSync(RECORD)) return new Map();
  const cells = JSON.parse(readFileSync(RECORD, "utf8")) as KeptCell[];
  return new Map(cells.map((cell) => [keyOf(cell), cell]));
}

/** Records one cell beside those that others have recorded meanwhile. */
export function keep(cell: KeptCell): void {
  const kept = readKept().set(keyOf(cell), cell);
  const cells = [...kept.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  writeFileSync(RECORD, `${JSON.stringify(cells, undefined, 2)}\n`);
}
