import path from "node:path";
import { plainText } from "../../files/plain-file.ts";
import { Fault } from "../../model/fault.ts";
import type { GlobalOptions } from "../shell/invocation.ts";
import type { Surroundings } from "../shell/surroundings.ts";

/** The server through which a command works, instead of on a store. */
export interface ServerChoice {
  /** Scheme, host and port; what printed commands name. */
  readonly url: string;
  readonly token: string;
  /** The certificates of an authority that this machine does not trust anyway; null for the system's own. */
  readonly ca: string | null;
}

const BYTES_MAX = 1024 * 1024;
const EXPECTED = "expected an address such as https://host:4377";

/** Whether a command is meant for a server. `--store` names a store, no matter what the environment says. */
export const serverWanted = ({ server, store }: GlobalOptions, { env }: Surroundings): string | null => {
  const text = server ?? (store === undefined ? env["HOLDFAST_SERVER"] : undefined) ?? "";
  if (server !== undefined && store !== undefined)
    throw new Fault(
      "usage",
      "--server and --store are given; expected one of them: a server has its own store",
    );
  return text === "" ? null : text;
};

export function chooseServer(
  wanted: string,
  options: GlobalOptions,
  surroundings: Surroundings,
): ServerChoice {
  const from = options.server === undefined ? "HOLDFAST_SERVER" : "--server";
  const { caFile = surroundings.env["HOLDFAST_CA_FILE"] } = options;
  return {
    url: addressOf(wanted, from),
    token: tokenOf(options, surroundings),
    ca: caFile === undefined || caFile === "" ? null : fileText(caFile, "--ca-file", surroundings),
  };
}

/** A token is not sent in clear text over a network. */
function addressOf(text: string, from: string): string {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw new Fault("usage", `${from} is "${text}", which is no address of a server; ${EXPECTED}`);
  if (url.pathname !== "/" || url.search !== "" || url.username !== "" || url.password !== "")
    throw new Fault(
      "usage",
      `${from} is more than an address (${url.protocol}//${url.host}); expected ${url.protocol}//${url.host}, and the token in --token-file or HOLDFAST_TOKEN`,
    );
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw new Fault(
      "usage",
      `${from} is ${url.origin}: a token would cross the network in clear text; expected https://${url.host}`,
    );
  return url.origin;
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);

/** Never among the arguments, which everybody on the machine can read. */
function tokenOf({ tokenFile }: GlobalOptions, surroundings: Surroundings): string {
  const token =
    tokenFile === undefined
      ? (surroundings.env["HOLDFAST_TOKEN"] ?? "").trim()
      : fileText(tokenFile, "--token-file", surroundings).trim();
  if (/^[\x21-\x7e]{1,500}$/.test(token)) return token;
  throw new Fault(
    "usage",
    token === ""
      ? "a server asks for a token; expected --token-file FILE or HOLDFAST_TOKEN (made on its machine with `holdfast token create NAME --role operator`)"
      : `${tokenFile ?? "HOLDFAST_TOKEN"} holds no token; expected one line as \`holdfast token create\` prints it`,
  );
}

function fileText(file: string, option: string, { cwd }: Surroundings): string {
  const text = plainText(path.resolve(cwd, file), { bytesMax: BYTES_MAX, links: "follow" });
  if (text !== undefined) return text;
  throw new Fault("usage", `${option} is ${file}, which is not there; expected a file`);
}
