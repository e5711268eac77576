import type { AnswerOf } from "../../../../../src/api/client/client.ts";

export type Owner = AnswerOf<"listOwners">["owners"][number];

/** What every part of the chart is drawn with. */
export interface Drawing {
  readonly xOf: (time: number) => number;
  readonly width: number;
  readonly now: number;
  readonly chosen: number | null;
  readonly onChoose: (seq: number, attempt?: string) => void;
}
