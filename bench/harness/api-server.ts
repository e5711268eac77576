import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { holdfastClient, type ApiClient } from "../../src/api/client/client.ts";

const REPOSITORY = path.join(import.meta.dirname, "..", "..");
const LAUNCHER = path.join(REPOSITORY, "bin", "holdfast.js");

export const NOT_BUILT = "there is no `dist/`, run `npm run build` first";
export const isBuilt = (): boolean => existsSync(path.join(REPOSITORY, "dist", "main.js"));

/** A process of the command line that lives while something is measured. */
export function startHoldfast(home: string, words: readonly string[]): ChildProcess {
  return spawn(process.execPath, [LAUNCHER, ...words], {
    cwd: home,
    env: { ...process.env, HOLDFAST_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

export interface MeasuredServer {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  readonly client: ApiClient;
  end(): Promise<void>;
}

/** The real server of the store of a home, on any port. */
export async function serveStore(home: string): Promise<MeasuredServer> {
  const child = startHoldfast(home, ["serve", "--listen", "127.0.0.1:0", "--json"]);
  const { url, tokenFile } = JSON.parse(await firstLine(child)) as { url: string; tokenFile: string };
  const token = readFileSync(tokenFile, "utf8");
  return {
    ...{ url, token, pid: child.pid ?? 0 },
    client: holdfastClient({ url, token }),
    end: () => ended(child),
  };
}

export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      const [line, ...more] = text.split("\n");
      if (more.length > 0) resolve(line ?? "");
    });
    child.once("exit", (code) => reject(new Error(`it ended with ${String(code)} before it was ready`)));
  });
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}

const TICK_MS = 10;

/** How long the processor has worked for a process, in the kernel too; on Linux. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
