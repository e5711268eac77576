import type { ApartPlace } from "../model/state/bound-tree.ts";

/** Where an event stands. */
export interface Place {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  /** Large values of the event that were not read. */
  readonly apart?: readonly ApartPlace[];
}
