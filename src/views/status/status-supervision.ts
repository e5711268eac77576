/** Who supervises the run: a process that holds it and lives. */
export interface StatusOwner {
  readonly host: string;
  readonly pid: number;
  readonly since: string | null;
  readonly beatAgeMs: number | null;
}

/**
 * `owned`: a process holds the run. `watched`: nobody does, and a supervisor at this store acts when something is due.
 * `none`: nobody will act.
 */
export interface StatusSupervision {
  readonly state: "owned" | "watched" | "none";
  readonly text: string;
  /** What brings it a supervisor; null where none is needed. */
  readonly command: string | null;
  /** What is due although nobody asks; null for nothing. */
  readonly due: { readonly at: string; readonly what: string } | null;
}
