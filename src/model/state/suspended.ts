/** What is left of a session that was suspended. */
export interface Suspended {
  readonly attempt: string;
  readonly at: number;
  readonly why: string;
}
