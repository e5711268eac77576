import path from "node:path";
import { Fault } from "../../model/fault.ts";
import { stateFolder, type Surroundings } from "./surroundings.ts";

/** The store a command works on. */
export interface StoreChoice {
  /** `sqlite:` with an absolute path, or `postgres://…`, which may hold a password: for the store, not for people. */
  readonly url: string;
  /** The same for people. */
  readonly shown: string;
  /** Null for a store that is no file. */
  readonly file: string | null;
  /** What printed commands must carry: the address, or null for the one that is meant without. */
  readonly named: string | null;
  /** The file that is meant where nothing names a store. */
  readonly isDefault: boolean;
}

const SQLITE = "sqlite:";
const EXPECTED = "expected sqlite:PATH or postgres://USER@HOST/DATABASE";
const isPostgres = (text: string): boolean => /^postgres(ql)?:\/\//.test(text);

/** `--store` before `HOLDFAST_STORE` before `holdfast.db` in the state folder. */
export function chooseStore(option: string | undefined, surroundings: Surroundings): StoreChoice {
  const fromEnv = surroundings.env["HOLDFAST_STORE"];
  const text = option ?? fromEnv ?? "";
  const from = option === undefined ? "HOLDFAST_STORE" : "--store";
  if (isPostgres(text)) return postgresStore(text, option === undefined ? "found by itself" : "to be named");
  const fallback = path.join(stateFolder(surroundings), "holdfast.db");
  const file =
    option === undefined && text === "" ? fallback : sqliteFile(text, from, surroundings, fallback);
  const url = `${SQLITE}${file}`;
  const isDefault = file === fallback;
  return { url, shown: url, file, named: isDefault ? null : url, isDefault };
}

/** A password in the environment is found there again; one given by hand is not printed back. */
function postgresStore(url: string, next: "found by itself" | "to be named"): StoreChoice {
  const shown = withoutPassword(url);
  return { url, shown, file: null, named: next === "to be named" ? shown : null, isDefault: false };
}

/** Everything that stands between a user's name and the host, and everything that is called a password. */
export const withoutPassword = (text: string): string =>
  text
    .replace(/^([a-z]+:\/\/[^:@/?#]*):.*@/, "$1@")
    .replaceAll(/([?&](?:password|sslpassword)=)[^&#]*/g, "$1…");

function sqliteFile(text: string, from: string, { cwd, home }: Surroundings, fallback: string): string {
  if (!text.startsWith(SQLITE)) throw notUnderstood(withoutPassword(text), from);
  const file = text.slice(SQLITE.length);
  if (file === "") return fallback;
  // No shell expands a tilde here, and nobody wants a folder of that name.
  return path.resolve(cwd, file.startsWith("~/") ? path.join(home, file.slice(2)) : file);
}

const notUnderstood = (text: string, from: string): Fault =>
  new Fault("usage", `${from} is "${text}"; ${EXPECTED}${suggestion(text)}`);

const suggestion = (text: string): string =>
  /^\w+:/.test(text) ? "" : `, for instance ${SQLITE}${text === "" ? "./runs.db" : text}`;
