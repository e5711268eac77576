/** How often the run's work could not be taken in because others have changed the same. */
export interface ConflictState {
  times: number;
  /** What both have changed, the last time. */
  files: readonly string[];
  /** All that the run has committed and that was not taken in yet. */
  own: string[];
  /** Not decided about yet. */
  pending: boolean;
}

export const noConflict = (): ConflictState => ({ times: 0, files: [], own: [], pending: false });
