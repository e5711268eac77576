import { existsSync } from "node:fs";
import { AGENTS } from "../../model/agent/kinds/registry.ts";
import type { World } from "../../model/world.ts";
import type { AgentDriver, SessionRef, StartOrder, StartOutcome } from "../agent-driver.ts";
import { findProgram } from "../find-program.ts";
import { endSession } from "../keeper/end-session.ts";
import { launchSession } from "../keeper/launch-session.ts";
import { probeSession } from "../keeper/probe-session.ts";
import { readSpool } from "../keeper/spool/read-spool.ts";
import { sessionFolder, type SessionFolder } from "../keeper/session-folder.ts";
import { inheritedEnvironment } from "../inherited-environment.ts";
import { createListeners } from "../listening.ts";
import { anyMeter, ledgerHomes } from "../meters/any-meter.ts";
import type { McpServer } from "../mcp-servers.ts";
import { AcpPump } from "./acp-pump.ts";
import { AcpTalk } from "./acp-talk.ts";
import { pastOf, readOrder, type AcpOrder } from "./session-papers.ts";
import { answerAsk, interruptTurn, sendToAgent, type Speaker } from "./speak-up.ts";

export interface AcpDriverOptions {
  readonly world: World;
  /** Where sessions keep their spools; each has a folder of its own below it. */
  readonly folder: string;
  /** Servers of tools that the agent is offered. */
  readonly mcpServers?: (order: StartOrder) => readonly McpServer[];
  /** Up to here all of what an agent prints is read. */
  readonly outputBytesMax?: number | undefined;
}

/** Runs any agent of the Agent Client Protocol under a keeper; it goes on when its supervisor dies. */
export function acpDriver({
  world,
  folder,
  mcpServers = () => [],
  outputBytesMax,
}: AcpDriverOptions): AgentDriver {
  const listeners = createListeners();
  const pumps = new Map<string, AcpPump>();
  let closed = false;
  const at = ({ session }: SessionRef): SessionFolder => sessionFolder(folder, session);
  const speaker = (ref: SessionRef): Speaker => ({ world, session: at(ref), closed: () => closed });
  const pump = ({ session }: SessionRef): void => {
    if (closed || pumps.has(session)) return;
    const one = new AcpPump(world, sessionFolder(folder, session));
    pumps.set(session, one);
    void one.run().finally(() => {
      if (pumps.get(session) === one) pumps.delete(session);
    });
  };
  const abandon = ({ session }: SessionRef): void => {
    pumps.get(session)?.close();
    pumps.delete(session);
  };
  return {
    use: "acp",
    capabilities: AGENTS.acp.capabilities,
    async start(order) {
      const outcome = await start(at(order), order, { world, servers: mcpServers(order), outputBytesMax });
      if (outcome.kind === "started") pump(order);
      return outcome;
    },
    find: (ref) => probeSession(world, at(ref)),
    listen(ref, cursor, receive) {
      pump(ref);
      const session = at(ref);
      const reader = (): AcpTalk => new AcpTalk(pastOf(session));
      const meter = anyMeter(readOrder(session)?.ledgers ?? {}, pastOf(session).startedAt, () => world.now());
      const quota = { quotaBytes: outputBytesMax };
      const spools = ["out", "err"] as const;
      const reading = { world, session, spools, reader, remembers: true, meter, ...quota };
      return listeners.start(receive, (listening) => readSpool(reading, cursor, listening));
    },
    send: (ref, message) => sendToAgent(speaker(ref), message),
    answer: (ref, answer) => answerAsk(speaker(ref), answer),
    interrupt: (ref) => interruptTurn(speaker(ref)),
    end: (ref, graceMs) => endSession(world, at(ref), graceMs),
    abandon,
    close() {
      closed = true;
      listeners.closeAll();
      for (const session of [...pumps.keys()]) abandon({ session, spec: { use: "acp" } });
      return Promise.resolve();
    },
  };
}

interface Starting {
  readonly world: World;
  readonly servers: readonly McpServer[];
  readonly outputBytesMax: number | undefined;
}

async function start(
  session: SessionFolder,
  order: StartOrder,
  { world, servers, outputBytesMax }: Starting,
): Promise<StartOutcome> {
  const { spec, cwd, task, resume } = order;
  if (!existsSync(cwd)) return hopeless(`the folder to work in, ${cwd}, does not exist`);
  const [name, ...words] = spec.command ?? [];
  if (name === undefined)
    return hopeless(
      `an agent with use: acp has no command; expected the program that speaks the Agent Client Protocol, such as command: [opencode, acp]`,
    );
  const env = { TMPDIR: session.tmp, ...spec.env };
  const program = findProgram(name, spec.env?.["PATH"] ?? process.env["PATH"], cwd);
  if (program === undefined)
    return hopeless(
      `the program "${name}" was not found; expected an agent of the Agent Client Protocol on PATH, or its path in the agent's "command"`,
    );
  const paper: AcpOrder = {
    task,
    cwd,
    ...(resume === undefined ? {} : { resume }),
    ledgers: ledgerHomes({ ...inheritedEnvironment(process.env, order), ...env }),
    mcpServers: servers.map((server) => ({ ...server, args: [...server.args], env: [...server.env] })),
  };
  const command = [program, ...words, ...(spec.args ?? [])] as const;
  return launchSession(world, {
    session,
    cwd,
    command,
    env,
    heir: order,
    order: paper,
    ownTmp: true,
    spokenTo: true,
    outputBytesMax,
  });
}

const hopeless = (text: string): StartOutcome => ({ kind: "failed", text, terminal: true });
