/** Where an event stands. */
export interface Place {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
}
