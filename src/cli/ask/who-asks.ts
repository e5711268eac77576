import { userInfo } from "node:os";
import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import type { Caller } from "../caller.ts";
import type { Invocation } from "../shell/invocation.ts";
import { chooseStore } from "../shell/store-url.ts";

/** The name under which a call is recorded, by what its environment says alone; see `principalOf`. */
export function whoAsks({ surroundings: { env }, serving }: Invocation): string {
  if (serving !== null) return serving.caller.by;
  const attempt = env["HOLDFAST_ATTEMPT"];
  if (attempt !== undefined && attempt !== "") return `agent:${attempt}`;
  try {
    return userInfo().username;
  } catch {
    // A user without a name in the system's list is known by number alone.
    return env["USER"] ?? "cli";
  }
}

/**
 * Who calls, and how that is known: an agent by what its environment says, or by the processes that it descends from,
 * which it cannot unset. Anybody else is a person whom nobody has proved; see docs/gates.md for how far that goes.
 */
export async function principalOf(
  call: Invocation,
  system: Pick<System, "callerSession" | "loadRun">,
): Promise<Caller> {
  if (call.serving !== null) return call.serving.caller;
  const { env } = call.surroundings;
  const [run, attempt] = [env["HOLDFAST_RUN"] ?? "", env["HOLDFAST_ATTEMPT"] ?? ""];
  if (attempt !== "") return agent(system, { run, attempt, proof: "environment" });
  const session = system.callerSession();
  if (session !== null)
    return agent(system, {
      run: session.run ?? "",
      attempt: session.attempt ?? session.session,
      proof: "process",
    });
  const by = whoAsks(call);
  return { by, principal: { kind: "person", name: by, proof: "none" } };
}

/** Who asks something of a run, and under which id; each request of a command takes one. */
export async function askerOf(
  call: Invocation,
  system: Pick<System, "callerSession" | "loadRun">,
): Promise<Caller> {
  return { ...(await principalOf(call, system)), ...call.serving?.nextRequest() };
}

/**
 * The agent that calls, by its environment or by the processes that it descends from; null for anybody else. For what is
 * kept outside of stores: the store is not opened, and agents of the default one are found whichever is named.
 */
export async function agentThatCalls({ surroundings, store, serving }: Invocation): Promise<string | null> {
  // Agents that ask a server for anything but to look are refused there.
  if (serving !== null) return serving.caller.principal.attempt ?? null;
  const attempt = surroundings.env["HOLDFAST_ATTEMPT"] ?? "";
  if (attempt !== "") return attempt;
  const { callerOfStore } = await import("../../main.ts");
  for (const { url } of [store, chooseStore(undefined, surroundings)]) {
    const found = callerOfStore(url);
    if (found !== null) return found.attempt ?? found.session;
  }
  return null;
}

interface AgentCaller {
  readonly run: string;
  readonly attempt: string;
  readonly proof: "environment" | "process";
}

async function agent(system: Pick<System, "loadRun">, { run, attempt, proof }: AgentCaller): Promise<Caller> {
  const by = `agent:${attempt}`;
  if (run === "") return { by, principal: { kind: "agent", name: by, proof, attempt } };
  const family = (await system.loadRun(run).catch(() => null))?.family;
  const name = `agent:${run}/${attempt}`;
  const principal = { kind: "agent", name, proof, run, attempt } as const;
  return { by: name, principal: family === undefined ? principal : { ...principal, family } };
}

/** For what changes a store without any run's being asked: agents may not. */
export async function personOnly(call: Invocation, system: System, what: string): Promise<string> {
  const { by, principal } = await principalOf(call, system);
  if (principal.kind !== "agent") return by;
  throw new Fault("refused", `${principal.name} is an agent and may not ${what}: only people do`);
}

/** The same where nothing else is asked of the store. */
export const personAsks = (call: Invocation, what: string): Promise<string> =>
  call.withSystem("empty", (system) => personOnly(call, system, what));
