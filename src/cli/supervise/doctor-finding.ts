/** One thing that `doctor` looked at. */
export interface Finding {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  /** What to do about it; null where nothing needs doing. */
  readonly remedy: string | null;
  /** What `doctor --fix` does about it: nothing that decides for a person, and nothing that could lose something. */
  readonly fix?: { readonly does: string; readonly apply: () => Promise<string> };
}
