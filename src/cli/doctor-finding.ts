/** One thing that `doctor` looked at. */
export interface Finding {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  /** What to do about it; null where nothing needs doing. */
  readonly remedy: string | null;
}
