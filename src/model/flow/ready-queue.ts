/** Steps that can begin by the same rules: one look at the first shows whether any of them may. */
export interface Lane {
  first: string;
  last: string;
}

/** Pending steps whose needs are met, in lanes, each in the order in which they became so. */
export interface ReadyQueue {
  lanes: Record<string, Lane>;
  count: number;
  /** Steps ever put in line: says who was first across lanes. */
  nth: number;
}

/** Where a step stands in line. */
export interface InLine {
  readonly lane: string;
  readonly nth: number;
  before: string | null;
  after: string | null;
}

export const nobodyReady = (): ReadyQueue => ({ lanes: {}, count: 0, nth: 0 });
