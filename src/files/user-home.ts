import { homedir } from "node:os";

/** Where this user's own files are; null where the system knows no such folder, as for a user without a name. */
export function userHome(env: Readonly<Record<string, string | undefined>>): string | null {
  try {
    return env["HOME"] ?? homedir();
  } catch {
    return null;
  }
}

/** The same as a path: one that leads to nothing where there is none. */
export const homePath = (env: Readonly<Record<string, string | undefined>>): string =>
  userHome(env) ?? "/nonexistent";
