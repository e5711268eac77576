import type { ContinuousView } from "../../views/continuous/continuous-view.ts";
import { EXIT, type ExitCode } from "../shell/define-command.ts";

/** Null while it goes on by itself. */
export function exitOfSession({ status, end }: Pick<ContinuousView, "status" | "end">): ExitCode | null {
  if (status === "ended") return end === "completed" || end === "idle" ? EXIT.done : EXIT.unsuccessful;
  return status === "running" || status === "idle" ? null : EXIT.waiting;
}
