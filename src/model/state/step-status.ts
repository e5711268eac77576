export type StepStatus =
  "pending" | "running" | "checking" | "proposed" | "succeeded" | "failed" | "skipped" | "dropped";
