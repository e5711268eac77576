import type { AgentKind } from "../flow/agent-kinds.ts";
import type { AgentSpec } from "../flow/flow.ts";
import type { SandboxMode } from "./sandbox-settings.ts";

/** Nobody is there to be asked: they do what they decide to do. */
const UNASKED: ReadonlySet<AgentKind> = new Set(["claude", "codex", "opencode", "gemini", "command"]);

/** Programs of their own, started by a keeper. */
const PROGRAMS: ReadonlySet<AgentKind> = new Set([...UNASKED, "acp", "tmux"]);

export const canBeSandboxed = ({ use }: Pick<AgentSpec, "use">): boolean => PROGRAMS.has(use);

const BYPASS =
  /^(?:--dangerously-.+|--yolo|-y|--full-auto|--(?:permission|approval)-mode=(?:bypassPermissions|acceptEdits|yolo|auto_edit)|bypassPermissions|yolo)$/;

/** Whether an agent works without asking: by its kind, by an option of its program, or because all is allowed. */
export function worksUnasked({ use, command = [], args = [], permissions }: AgentSpec): boolean {
  const allowed = typeof permissions === "string" ? permissions : permissions?.default;
  return UNASKED.has(use) || allowed === "allow" || [...command, ...args].some((word) => BYPASS.test(word));
}

/** Whether a sandbox is wanted for an agent, and whether it may go without. */
export function sandboxWish(spec: AgentSpec, usual: SandboxMode): "required" | "wanted" | "none" {
  const mode = spec.sandbox ?? usual;
  if (mode !== "auto") return mode;
  return canBeSandboxed(spec) && worksUnasked(spec) ? "wanted" : "none";
}
