import { X509Certificate } from "node:crypto";
import type { Addresses } from "../guard/check-origin.ts";
import { Fault } from "../../model/fault.ts";

/** Where a server is to listen. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  /** The address was named: no other is taken in its place. */
  readonly isNamed: boolean;
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Something in front speaks TLS and hands requests on; the address that it is reached by. */
  readonly behindProxy: string | null;
}

export const DEFAULT_LISTEN = { host: "127.0.0.1", port: 4377 } as const;

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

export function readListen(text: string | undefined): Pick<Listening, "host" | "port" | "isNamed"> {
  if (text === undefined) return { ...DEFAULT_LISTEN, isNamed: false };
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535)
    throw new Fault(
      "usage",
      `--listen "${text}" is no address; expected HOST:PORT, such as 127.0.0.1:4377 or [::1]:0`,
    );
  return { host: bracketed ?? (plain || DEFAULT_LISTEN.host), port, isNamed: true };
}

/** What others on the network could reach needs TLS, and people who can be distinguished (T3). */
export function checkListening({ host, tls, behindProxy }: Listening, namedTokens: number): void {
  if (isLoopback(host)) return;
  const missing = [
    ...(tls === null && behindProxy === null
      ? ["TLS: --tls-cert FILE --tls-key FILE, or --behind-proxy https://NAME"]
      : []),
    ...(namedTokens === 0 ? ["a named token: `holdfast token create NAME --role operator`"] : []),
  ];
  if (missing.length > 0)
    throw new Fault(
      "usage",
      `${host} can be reached from other machines, and listening there is refused; expected ${missing.join("; and ")}`,
    );
}

const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** The names by which a server on that host is meant, each exactly as browsers and programs write it. */
function namesOf({ host, tls }: Listening): string[] {
  const own = bracketed(host);
  const here = isLoopback(host) && host !== "::1" ? [own, "localhost"] : [own];
  return [...new Set([...certified(tls), ...here])];
}

/**
 * The names and addresses that the certificate is for: nobody else has one for them, so that no other page's name can be
 * made to lead here. One for many names at once says too little.
 */
function certified(tls: Listening["tls"]): string[] {
  if (tls === null) return [];
  const { subjectAltName = "" } = new X509Certificate(tls.cert);
  return subjectAltName.split(", ").flatMap((entry) => {
    const [, kind, name = ""] = /^(DNS|IP Address):(.+)$/.exec(entry) ?? [];
    if (kind === undefined || name.includes("*")) return [];
    return [kind === "DNS" ? name.toLowerCase() : bracketed(name)];
  });
}

export function addressesOf(listening: Listening, port: number): Addresses {
  const scheme = listening.tls === null ? "http" : "https";
  const defaultPort = listening.tls === null ? 80 : 443;
  const hosts = namesOf(listening).flatMap((name) =>
    port === defaultPort ? [name, `${name}:${String(port)}`] : [`${name}:${String(port)}`],
  );
  const origins = hosts.map((host) => `${scheme}://${host}`);
  if (listening.behindProxy === null) return { hosts: new Set(hosts), origins: new Set(origins) };
  const { host, origin } = new URL(listening.behindProxy);
  return { hosts: new Set([...hosts, host]), origins: new Set([...origins, origin]) };
}

export function urlOf(listening: Listening, port: number): string {
  if (listening.behindProxy !== null) return new URL(listening.behindProxy).origin;
  const [named = ""] = namesOf(listening);
  return `${listening.tls === null ? "http" : "https"}://${named}:${String(port)}`;
}
