import { homedir } from "node:os";
import path from "node:path";

/** What a command is called in; a parameter, so that tests need no other process. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
}

export const realSurroundings = (): Surroundings => ({
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
});

/** Where Holdfast keeps what it knows: `HOLDFAST_HOME`, or a folder of its own in the XDG state folder. */
export function stateFolder({ env, cwd, home }: Surroundings): string {
  const own = env["HOLDFAST_HOME"];
  if (own !== undefined && own !== "") return path.resolve(cwd, own);
  const xdg = env["XDG_STATE_HOME"];
  // The XDG specification asks to ignore what is not absolute.
  const base = xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(home, ".local", "state");
  return path.join(base, "holdfast");
}
