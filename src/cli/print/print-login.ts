import { spawn } from "node:child_process";
import type { Surroundings } from "../shell/surroundings.ts";

export interface Login {
  readonly url: string;
  readonly loginUrl: string;
}

/** Where there is no browser, the printed URL is all there is. */
export function openBrowser({ env }: Surroundings, url: string): void {
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  if (process.platform !== "darwin" && env["DISPLAY"] === undefined && env["WAYLAND_DISPLAY"] === undefined)
    return;
  const child = spawn(program, [url], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
