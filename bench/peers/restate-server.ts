import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const READY_MS_MAX = 60_000;
/** Ends the server, and the launcher that started it, when this process ends, however it ends. */
const GUARD = '"$@" < /dev/null & cat > /dev/null; kill -9 0';

export interface RestateServer {
  readonly ingress: string;
  readonly admin: string;
  stop(): Promise<void>;
}

/** Restate's server with its default settings, on the loopback. */
export async function startRestate(folder: string): Promise<RestateServer> {
  const base = path.join(folder, "restate");
  mkdirSync(base, { recursive: true });
  const [node, ingress, admin] = await Promise.all([freePort(), freePort(), freePort()]);
  const launcher = path.join(import.meta.dirname, "node_modules", ".bin", "restate-server");
  const args = ["-c", GUARD, "guard", launcher, "--base-dir", base, "--no-logo", "--listen-mode", "tcp"];
  const child = spawn("sh", args, {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: {
      ...process.env,
      RESTATE_BIND_PORT: String(node),
      RESTATE_BIND_IP: "127.0.0.1",
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_DISABLE_TELEMETRY: "true",
      RESTATE_LOG_FILTER: "error",
      DO_NOT_TRACK: "1",
    },
  });
  const ended = new Promise<void>((resolve) => child.on("exit", () => resolve()));
  const server = { ingress: url(ingress), admin: url(admin) };
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await ended;
  };
  const late = performance.now() + READY_MS_MAX;
  while (!(
    (await isHealthy(`${server.admin}/health`)) && (await isHealthy(`${server.ingress}/restate/health`))
  )) {
    if (child.exitCode !== null || performance.now() > late) {
      await stop();
      throw new Error("Restate's server did not start here");
    }
    await pause(100);
  }
  return { ...server, stop };
}

const url = (port: number): string => `http://127.0.0.1:${String(port)}`;

async function isHealthy(address: string): Promise<boolean> {
  try {
    return (await fetch(address)).ok;
  } catch {
    // Not yet listening.
    return false;
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
