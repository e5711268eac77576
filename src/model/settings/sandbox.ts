import { AGENTS } from "../agent/kinds/registry.ts";
import type { AgentSpec } from "../flow/flow.ts";
import type { SandboxMode } from "./sandbox-settings.ts";

/** Programs of their own are started by a keeper. */
export const canBeSandboxed = ({ use }: Pick<AgentSpec, "use">): boolean => AGENTS[use].is !== "inside";

const BYPASS =
  /^(?:--dangerously-.+|--yolo|-y|--full-auto|--(?:permission|approval)-mode=(?:bypassPermissions|acceptEdits|yolo|auto_edit)|bypassPermissions|yolo)$/;

/** Whether an agent works without asking: by its kind, by an option of its program, or because all is allowed. */
export function worksUnasked({ use, command = [], args = [], permissions }: AgentSpec): boolean {
  const allowed = typeof permissions === "string" ? permissions : permissions?.default;
  return (
    AGENTS[use].asksNobody || allowed === "allow" || [...command, ...args].some((word) => BYPASS.test(word))
  );
}

/** Whether a sandbox is wanted for an agent, and whether it may go without. */
export function sandboxWish(spec: AgentSpec, fallback: SandboxMode): "required" | "wanted" | "none" {
  const mode = spec.sandbox ?? fallback;
  if (mode !== "auto") return mode;
  return canBeSandboxed(spec) && worksUnasked(spec) ? "wanted" : "none";
}
