import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import { withoutPassword } from "../shell/store-url.ts";
import type { Surroundings } from "../shell/surroundings.ts";

const DIGITS = 24;

/**
 * Where the anchor of a store is: in a folder that is no part of the store's, so that both are not put back by one stroke.
 * `HOLDFAST_ANCHOR` names another folder, on another disk or host, or is `off`. A store in the system's folder for
 * temporary files has none unless one is named.
 */
export function anchorPlace(store: string, { env, cwd, home }: Surroundings): string | null {
  const named = env["HOLDFAST_ANCHOR"] ?? "";
  if (named === "off" || store === "memory:") return null;
  const folder = named === "" ? defaultFolder(store, { env, home }) : path.resolve(cwd, named);
  if (folder === null) return null;
  const digest = createHash("sha256").update(identityOf(store)).digest("hex").slice(0, DIGITS);
  return path.join(folder, `${digest}.json`);
}

/** One store has one anchor, no matter what password it is opened with. */
const identityOf = (store: string): string =>
  store.startsWith("sqlite:") ? `sqlite:${path.resolve(store.slice(7))}` : withoutPassword(store);

function defaultFolder(store: string, { env, home }: Pick<Surroundings, "env" | "home">): string | null {
  const file = store.startsWith("sqlite:") ? path.resolve(store.slice(7)) : null;
  if (file?.startsWith(`${path.resolve(tmpdir())}${path.sep}`) === true) return null;
  const xdg = env["XDG_DATA_HOME"];
  if (xdg !== undefined && path.isAbsolute(xdg)) return path.join(xdg, "holdfast", "anchors");
  return home === "" ? null : path.join(home, ".local", "share", "holdfast", "anchors");
}
