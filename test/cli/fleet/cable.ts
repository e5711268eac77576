import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { appendFileSync } from "node:fs";
import type { PostgresServer } from "../../postgres-server.ts";

const ip = (...args: readonly string[]): void =>
  void execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });

/** Ten thousands of tests may leave no two cables of one number on a machine at a time. */
let next = process.pid % 200;

/** A network of its own for a host, joined to the machine by one cable that can be cut. */
export class Cable {
  /** Where the host finds the machine. */
  readonly machine: string;
  readonly #host: string;
  readonly #name: string;
  readonly #init: string;
  /** Keeps the network when every process of the host is gone: its kernel still says that connections are over. */
  readonly #keeper: ChildProcess;

  constructor(init: number) {
    const number = (next += 1) % 250;
    this.#init = String(init);
    this.#name = `hf${String(process.pid)}x${String(number)}`.slice(0, 15);
    this.machine = `10.123.${String(number)}.1`;
    this.#host = `10.123.${String(number)}.2`;
    ip("link", "add", this.#name, "type", "veth", "peer", "name", "eth0", "netns", this.#init);
    ip("addr", "add", `${this.machine}/24`, "dev", this.#name);
    ip("link", "set", this.#name, "up");
    this.#keeper = spawn("nsenter", ["-t", this.#init, "-n", "sleep", "infinity"], { stdio: "ignore" });
    this.#inside("link", "set", "lo", "up");
    this.#inside("addr", "add", `${this.#host}/24`, "dev", "eth0");
    this.#inside("link", "set", "eth0", "up");
  }

  /** Both ways, in silence: nobody is informed that a connection is gone. */
  cut(): void {
    this.#inside("route", "add", "blackhole", this.machine);
    ip("route", "add", "blackhole", this.#host);
  }

  mend(): void {
    this.#inside("route", "del", "blackhole", this.machine);
    ip("route", "del", "blackhole", this.#host);
  }

  /** After the host: so nobody has to wait for what it can no longer say. */
  remove(): void {
    this.#keeper.kill("SIGKILL");
    spawnSync("ip", ["route", "del", "blackhole", this.#host], { stdio: "ignore" });
    spawnSync("ip", ["link", "del", this.#name], { stdio: "ignore" });
  }

  #inside(...args: readonly string[]): void {
    execFileSync("nsenter", ["-t", this.#init, "-n", "ip", ...args], { stdio: ["ignore", "ignore", "pipe"] });
  }
}

/** Why hosts get no cables here; false where they do. */
export function noCables(): string | false {
  const found = spawnSync("ip", ["link", "show"], { stdio: "ignore" });
  return found.status === 0 ? false : "needs the program ip (iproute2)";
}

/** Lets hosts on cables in. It has to listen everywhere (`listen_addresses`). */
export async function admitCables(server: PostgresServer): Promise<void> {
  const [row] = await server.query("SHOW hba_file");
  appendFileSync(String(row?.["hba_file"]), "host all all 10.123.0.0/16 scram-sha-256\n");
  await server.query("SELECT pg_reload_conf()");
}
