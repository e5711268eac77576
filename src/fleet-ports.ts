import { freemem } from "node:os";
import path from "node:path";
import { HEADLESS_AGENTS } from "./all-drivers.ts";
import { roomLeft } from "./agents/disk-room.ts";
import { findProgram } from "./agents/find-program.ts";
import { homeHost } from "./agents/home-id.ts";
import { bootId } from "./agents/host-identity.ts";
import { packageVersion } from "./cli/shell/package-folder.ts";
import type { World } from "./model/world.ts";
import { isShared } from "./open-store.ts";
import type { Ports } from "./runtime/ports.ts";

/** What a supervisor is given where other hosts may share its store; nothing where that is a file of this machine. */
export function fleetPorts(
  store: string,
  sessionsFolder: string,
  world: World,
): Pick<Ports, "home" | "hostFacts"> {
  if (!isShared(store)) return {};
  const folder = path.dirname(sessionsFolder);
  const version = packageVersion();
  return {
    home: homeHost(folder, world),
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
