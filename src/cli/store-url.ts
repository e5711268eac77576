import path from "node:path";
import { Fault } from "../model/fault.ts";
import { stateFolder, type Surroundings } from "./surroundings.ts";

/** The store a command works on. */
export interface StoreChoice {
  /** `sqlite:` with an absolute path. */
  readonly url: string;
  readonly file: string;
  /** What printed commands must carry: the address, or null for the default store. */
  readonly named: string | null;
}

const SQLITE = "sqlite:";

/** `--store` before `HOLDFAST_STORE` before `holdfast.db` in the state folder. */
export function chooseStore(option: string | undefined, surroundings: Surroundings): StoreChoice {
  const fromEnv = surroundings.env["HOLDFAST_STORE"];
  const fallback = path.join(stateFolder(surroundings), "holdfast.db");
  const file =
    option === undefined
      ? fromEnv === undefined || fromEnv === ""
        ? fallback
        : sqliteFile(fromEnv, "HOLDFAST_STORE", surroundings, fallback)
      : sqliteFile(option, "--store", surroundings, fallback);
  const url = `${SQLITE}${file}`;
  return { url, file, named: file === fallback ? null : url };
}

function sqliteFile(text: string, from: string, { cwd, home }: Surroundings, fallback: string): string {
  if (/^postgres(ql)?:/.test(text))
    throw new Fault(
      "store_unavailable",
      `${from} is a PostgreSQL address, and this version has no PostgreSQL store; expected sqlite:PATH`,
    );
  if (!text.startsWith(SQLITE))
    throw new Fault("usage", `${from} is "${text}"; expected sqlite:PATH${suggestion(text)}`);
  const file = text.slice(SQLITE.length);
  if (file === "") return fallback;
  // No shell expands a tilde here, and nobody wants a folder of that name.
  return path.resolve(cwd, file.startsWith("~/") ? path.join(home, file.slice(2)) : file);
}

const suggestion = (text: string): string =>
  /^\w+:/.test(text) ? "" : `, for instance ${SQLITE}${text === "" ? "./runs.db" : text}`;
