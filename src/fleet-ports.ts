import { freemem } from "node:os";
import path from "node:path";
import { HEADLESS_AGENTS } from "./all-drivers.ts";
import { roomLeft } from "./agents/disk-room.ts";
import { guardAgents, type GuardEnd } from "./agents/fence/guard-agents.ts";
import { hostFence } from "./agents/fence/host-fence.ts";
import { findProgram } from "./agents/find-program.ts";
import { homeHost } from "./agents/home-id.ts";
import { bootId } from "./agents/host-identity.ts";
import { packageVersion } from "./cli/shell/package-folder.ts";
import type { World } from "./model/world.ts";
import { isShared, sessionsFolderOf } from "./open-store.ts";
import { worldHere } from "./real-world.ts";
import type { Ports } from "./runtime/ports.ts";

/** What a supervisor is given where other hosts may share its store; nothing where that is a file of this machine. */
export function fleetPorts(
  store: string,
  sessionsFolder: string,
  world: World,
): Pick<Ports, "home" | "hostFacts" | "fence"> {
  if (!isShared(store)) return {};
  const folder = path.dirname(sessionsFolder);
  const version = packageVersion();
  return {
    home: homeHost(folder, world),
    fence: hostFence(sessionsFolder, world),
    hostFacts: () => ({
      boot: bootId(),
      version,
      agents: agentsHere(),
      freeMemoryBytes: freemem(),
      freeDiskBytes: roomLeft(folder),
    }),
  };
}

/** Agents with a program of their own that is on PATH. */
const agentsHere = (): string[] =>
  HEADLESS_AGENTS.filter(
    ({ program }) => findProgram(program, process.env["PATH"], process.cwd()) !== undefined,
  ).map(({ use }) => use);

/** Guards the agents of this host; the store itself is not opened for it, since it may be out of reach. */
export function guardHere(store: string, say: (text: string) => void): Promise<GuardEnd> | null {
  return isShared(store) ? guardAgents(sessionsFolderOf(store), worldHere(), say) : null;
}
