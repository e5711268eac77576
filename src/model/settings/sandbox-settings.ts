import { z } from "zod";
import { section } from "./setting-kinds.ts";

/** Whether an agent is started in a sandbox. */
export const sandboxModeSchema = z.enum(["auto", "required", "none"]);
export type SandboxMode = z.infer<typeof sandboxModeSchema>;

/** What of the network an agent in a sandbox reaches; of its provider through a proxy, and nothing by itself. */
export const sandboxNetworkSchema = z.enum(["all", "provider", "none"]);
export type SandboxNetwork = z.infer<typeof sandboxNetworkSchema>;

const folders = z.array(z.string().regex(/^[/~]/, "a path that begins with / or ~")).max(64);

const hosts = z
  .array(
    z
      .string()
      .regex(
        /^(?:\*\.)?(?:\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9_.-]{1,253})(?::\d{1,5})?$/,
        "name, name:port or *.name",
      ),
  )
  .max(256);

/** Of the host, since it decides what an agent can reach of it. */
export const sandboxSettings = {
  sandbox: section({
    agents: sandboxModeSchema
      .default("auto")
      .describe(
        "for agents that do not say it themselves: auto: those that work without asking run in a sandbox where one is possible; required: every agent does, or is not started; none",
      ),
    network: sandboxNetworkSchema
      .default("all")
      .describe("what agents in a sandbox reach of the network, where they do not say it themselves"),
    hosts: hosts
      .default([])
      .describe(
        "more hosts that agents with network: provider reach: name, name:port, *.name or an address; without a port 443 and 80",
      ),
    limits: section({
      processes: z
        .number()
        .int()
        .min(16)
        .max(1_000_000)
        .default(4_096)
        .describe("processes that one agent in a sandbox may have"),
      memoryPct: z
        .number()
        .min(1)
        .max(100)
        .default(80)
        .describe(
          "memory that one agent in a sandbox may have, in percent of this machine's, where this user can make a control group",
        ),
    }),
    read: folders
      .default([])
      .describe("more files and folders that agents in a sandbox can read, such as ~/.m2"),
  }),
};

/** Recorded with the start of an attempt, where a sandbox was asked for. */
export const sandboxFactsSchema = z.object({ active: z.boolean(), text: z.string() });
export type SandboxFacts = z.infer<typeof sandboxFactsSchema>;
