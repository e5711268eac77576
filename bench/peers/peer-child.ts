import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import type { PostgresServer } from "../../test/postgres-server.ts";
import type { Engine } from "./peer-engines.ts";
import { freePort, type RestateServer } from "./restate-server.ts";

export interface Surroundings {
  readonly folder: string;
  readonly postgres: PostgresServer | null;
  readonly restate: RestateServer | null;
}

export interface Told {
  /** From the start of the process to its first line. */
  readonly firstLineMs: number;
  readonly line: Readonly<Record<string, unknown>>;
}

const LIMIT_MS = 300_000;
let databases = 0;

/** A fresh store for one engine: its folder, database and port, which the lives of one measurement share. */
export async function freshStore(engine: Engine, around: Surroundings): Promise<Record<string, unknown>> {
  mkdirSync(around.folder, { recursive: true });
  const folder = mkdtempSync(path.join(around.folder, `${engine.module}-`));
  const settings: Record<string, unknown> = { ...engine.settings, folder };
  if (engine.needs === "postgres" && around.postgres !== null) {
    const name = `bench_${String((databases += 1))}`;
    await around.postgres.query(`CREATE DATABASE ${name}`);
    settings["postgres"] = around.postgres.url.replace(/\/postgres$/, `/${name}`);
  }
  if (engine.needs === "restate" && around.restate !== null) {
    settings["restate"] = { ingress: around.restate.ingress, admin: around.restate.admin };
    settings["port"] = await freePort();
  }
  return settings;
}

export const removeStore = (settings: Readonly<Record<string, unknown>>): void =>
  rmSync(String(settings["folder"]), { recursive: true, force: true });

/** One engine doing one measurement in a process of its own; null if the process died silently, as it is told to. */
export function runChild(
  engine: Engine,
  measure: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<Told | null> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const program = path.join(import.meta.dirname, "child.mjs");
    const child = spawn(process.execPath, [program, engine.module, measure, JSON.stringify(settings)], {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LIMIT_MS,
      killSignal: "SIGKILL",
    });
    let output = "";
    let complaint = "";
    let firstLineMs = NaN;
    child.stdout.on("data", (piece: Buffer) => {
      if (Number.isNaN(firstLineMs)) firstLineMs = performance.now() - began;
      output += piece.toString();
    });
    child.stderr.on("data", (piece: Buffer) => {
      complaint = (complaint + piece.toString()).slice(-2_000);
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      const line = output.split("\n").find((text) => text.startsWith("{"));
      if (line !== undefined)
        resolve({ firstLineMs, line: JSON.parse(line) as Readonly<Record<string, unknown>> });
      else if (signal === "SIGKILL" && performance.now() - began < LIMIT_MS) resolve(null);
      else
        reject(new Error(`${engine.label}, ${measure}: ended with ${String(code ?? signal)}: ${complaint}`));
    });
  });
}
