import { userInfo } from "node:os";
import type { Invocation } from "./invocation.ts";

/** Agents are told apart from people by what their environment says; see docs/gates.md for how far that goes. */
export function whoAsks({ surroundings: { env } }: Invocation): string {
  const attempt = env["HOLDFAST_ATTEMPT"];
  if (attempt !== undefined && attempt !== "") return `agent:${attempt}`;
  try {
    return userInfo().username;
  } catch {
    // A user without a name in the system's list is known by number alone.
    return env["USER"] ?? "cli";
  }
}
