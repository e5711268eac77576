import { createHmac } from "node:crypto";
import { readPlainAt } from "../files/plain-file.ts";

/** Bytes of a signing key. */
export type Key = Buffer;

export type KeysReading = { readonly keys: readonly Key[] } | { readonly problem: string };

const KEY_BYTES_MIN = 24;
const KEY_BYTES_MAX = 64;

export interface SecretSource {
  readonly secretEnv?: string | undefined;
  readonly secretFile?: string | undefined;
}

/** The keys that a channel names. What is wrong with them is reported without printing them. */
export async function readKeys(source: SecretSource, env: Environment): Promise<KeysReading> {
  const keys: Key[] = [];
  for (const place of await readPlaces(source, env)) {
    if (place.text === undefined) return { problem: `the signing secret in ${place.name} ${place.problem}` };
    const found = place.text
      .split(/\s+/)
      .filter((word) => word !== "")
      .map(keyOf);
    if (found.length === 0) return { problem: `the signing secret in ${place.name} is empty` };
    if (found.includes(undefined))
      return {
        problem: `the signing secret in ${place.name} is not valid; expected whsec_ and the base64 of ${String(KEY_BYTES_MIN)} to ${String(KEY_BYTES_MAX)} bytes`,
      };
    keys.push(...found.filter((key) => key !== undefined));
  }
  return { keys };
}

async function readPlaces(
  { secretEnv, secretFile }: SecretSource,
  env: Environment,
): Promise<readonly SecretPlace[]> {
  return [
    ...(secretEnv === undefined ? [] : [secretInEnv(secretEnv, env)]),
    ...(secretFile === undefined ? [] : [await secretInFile(secretFile)]),
  ];
}

function keyOf(secret: string): Key | undefined {
  const text = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  if (text === undefined) return undefined;
  const key = Buffer.from(text, "base64");
  return key.length >= KEY_BYTES_MIN && key.length <= KEY_BYTES_MAX ? key : undefined;
}

export interface SignedMessage {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of the Standard Webhooks specification; one signature for each key, so that keys can be exchanged. */
export function webhookHeaders(message: SignedMessage, keys: readonly Key[]): Record<string, string> {
  const signed = `${message.id}.${String(message.timestamp)}.${message.body}`;
  const signatures = keys.map((key) => `v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
  return {
    "webhook-id": message.id,
    "webhook-timestamp": String(message.timestamp),
    ...(signatures.length === 0 ? {} : { "webhook-signature": signatures.join(" ") }),
  };
}

const FILE_BYTES_MAX = 8_192;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a secret is kept, and what was found there; what is wrong is reported without printing the secret. */
interface SecretPlace {
  readonly name: string;
  readonly text?: string | undefined;
  readonly problem: string;
}

export const secretInEnv = (name: string, env: Environment): SecretPlace => ({
  name: `the environment variable ${name}`,
  text: env[name],
  problem: "is not set",
});

export async function secretInFile(file: string): Promise<SecretPlace> {
  const name = `the file ${file}`;
  // Secrets are often mounted as links.
  const read = readPlainAt(file, { from: 0, bytesMax: FILE_BYTES_MAX, links: "follow" });
  if (read.kind === "read") return { name, text: read.bytes.toString("utf8"), problem: "" };
  return {
    name,
    problem: read.kind === "absent" ? "cannot be read: ENOENT: there is no such file" : read.problem,
  };
}
