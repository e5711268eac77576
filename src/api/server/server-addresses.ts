import { X509Certificate } from "node:crypto";
import type { Addresses } from "../guard/check-origin.ts";
import { isLoopback, type Listening } from "./listening.ts";

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
