/** Who asks through this server, as it is recorded: under which name, and from where. */
export interface Asker {
  readonly by: string;
  readonly via: string;
  /** Set where the one who asks was found to be an agent; such a request is recorded as the agent's. */
  readonly agent: AgentAsker | null;
}

export interface AgentAsker {
  readonly run: string | null;
  readonly attempt: string;
  readonly proof: "environment" | "process";
}
