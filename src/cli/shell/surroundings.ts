import path from "node:path";
import { Fault } from "../../model/fault.ts";
import { userHome } from "../../files/user-home.ts";

/** What a command is called in; a parameter, so that tests need no other process. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Empty where the system knows none: a user without an entry in its list, and no HOME. */
  readonly home: string;
}

export const realSurroundings = (): Surroundings => ({
  env: process.env,
  cwd: currentFolder(),
  home: homeFolder(process.env),
});

/** Where this user's own files are; empty where the system knows no such folder. */
export const homeFolder = (env: Surroundings["env"]): string => userHome(env) ?? "";

/** Where Holdfast keeps what it knows: `HOLDFAST_HOME`, or a folder of its own in the XDG state folder. */
export function stateFolder({ env, cwd, home }: Surroundings): string {
  const own = env["HOLDFAST_HOME"];
  if (own !== undefined && own !== "") return path.resolve(cwd, own);
  const xdg = env["XDG_STATE_HOME"];
  // The XDG specification asks to ignore what is not absolute.
  if (xdg !== undefined && path.isAbsolute(xdg)) return path.join(xdg, "holdfast");
  if (home === "")
    throw new Fault(
      "usage",
      `this user (uid ${String(process.getuid?.())}) has no home folder and HOME is not set, so that there is no place for Holdfast's state; name a folder that may be written: HOLDFAST_HOME=/var/lib/holdfast`,
    );
  return path.join(home, ".local", "state", "holdfast");
}

/**
 * Where the user's own configuration stands: with the state where `HOLDFAST_HOME` names a folder, otherwise in the XDG
 * configuration folder. Never in a repository.
 */
export function hostConfigFolder(surroundings: Surroundings): string {
  const { env, home } = surroundings;
  const own = env["HOLDFAST_HOME"];
  if (own !== undefined && own !== "") return stateFolder(surroundings);
  const xdg = env["XDG_CONFIG_HOME"];
  const base = xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(home, ".config");
  return path.join(base, "holdfast");
}

/** A folder that was removed under this process is nobody's any more; what is said from there is said from the root. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return "/";
  }
}
