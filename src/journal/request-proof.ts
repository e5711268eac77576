/**
 * Proofs that a person asked for exactly this. A passphrase or a token is stretched into the seed of an Ed25519 key;
 * the public half stands in the run's first event, and nothing that signs stands in any file.
 *
 * 1. A signature covers the run, the request's id, the whole request (its gate, digest and question among it), the
 *    name and an expiry: it is good for one question, once. The inbox counts an id once, and a question that was
 *    answered is not open any more.
 * 2. Only keys that stand in the run's first event count: what is replaced in a file afterwards changes nothing.
 * 3. A row that proves nothing is read as one that nobody has proved, no matter what it says of itself.
 */
import {
  createPrivateKey,
  createPublicKey,
  randomBytes,
  scryptSync,
  sign,
  verify,
  type KeyObject,
} from "node:crypto";
import {
  claimedPrincipal,
  requestProofSchema,
  type ApproverKey,
  type Principal,
  type RequestProof,
} from "../model/requests/principal.ts";
import type { RunRequest } from "../model/requests/requests.ts";
import type { InboxRow } from "./journal.ts";

const SEED_BYTES = 32;
const SALT_BYTES = 16;
const TOKEN_BYTES = 20;
/** About a tenth of a second and 64 MB for each guess. */
const COST = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 };
/** What DER says before the 32 bytes of an Ed25519 key. */
const PRIVATE_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** How long after it was typed a proof is good: as long as a busy supervisor may need to read it. */
const GOOD_MS = 10 * 60_000;

function privateKeyOf(secret: string, salt: string): KeyObject {
  const seed = scryptSync(secret.normalize("NFC"), Buffer.from(salt, "hex"), SEED_BYTES, COST);
  return createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: "der", type: "pkcs8" });
}

const publicHalf = (key: KeyObject): string =>
  createPublicKey(key).export({ format: "der", type: "spki" }).subarray(PUBLIC_PREFIX.length).toString("hex");

const publicKeyOf = (hex: string): KeyObject =>
  createPublicKey({
    key: Buffer.concat([PUBLIC_PREFIX, Buffer.from(hex, "hex")]),
    format: "der",
    type: "spki",
  });

/** What is kept of a secret: enough to check what it signs, and to guess at it no faster than by signing. */
export function approverKey(
  name: string,
  proof: ApproverKey["proof"],
  secret: string,
  salt = randomBytes(SALT_BYTES).toString("hex"),
): ApproverKey {
  return { name, proof, salt, key: publicHalf(privateKeyOf(secret, salt)) };
}

/** 160 bits that a person can copy. */
export const newToken = (secret?: string | null): string =>
  `hf-${secret ?? randomBytes(TOKEN_BYTES).toString("base64url")}`;

interface Signed {
  readonly run: string;
  readonly requestId: string;
  readonly request: RunRequest;
  readonly name: string;
  readonly expiresAt: number;
}

const signedText = ({ run, requestId, request, name, expiresAt }: Signed): Buffer =>
  Buffer.from(JSON.stringify(["holdfast request 1", run, requestId, sorted(request), name, expiresAt]));

/** The same value has the same text, in any order its keys were written. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .filter(([, held]) => held !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, held]) => [key, sorted(held)]);
}

export interface ToSign {
  readonly run: string;
  readonly requestId: string;
  readonly request: RunRequest;
  readonly now: number;
}

/** Signs as one of those whose keys are given: the one that the secret is of. Null where it is nobody's. */
export function signerOf(
  keys: readonly ApproverKey[],
  secret: string,
): { readonly by: ApproverKey; sign(asked: ToSign): RequestProof } | null {
  for (const by of keys) {
    const key = privateKeyOf(secret, by.salt);
    if (publicHalf(key) !== by.key) continue;
    return {
      by,
      sign({ run, requestId, request, now }) {
        const expiresAt = now + GOOD_MS;
        const text = signedText({ run, requestId, request, name: by.name, expiresAt });
        return { name: by.name, key: by.key, expiresAt, signature: sign(null, text, key).toString("hex") };
      },
    };
  }
  return null;
}

/** Who a row is from: a person whose signature holds now, or what the row says and nobody has proved. */
export function proofPrincipal(
  row: InboxRow,
  request: RunRequest,
  { run, approverKeys = [], now }: { run: string; approverKeys?: readonly ApproverKey[]; now: number },
): Principal {
  const claimed = claimedPrincipal(row.principal, row.by);
  const read = requestProofSchema.safeParse(row.proof);
  if (!read.success || row.address !== run || claimed.kind === "agent") return claimed;
  const { name, key, expiresAt, signature } = read.data;
  const known = approverKeys.find((one) => one.key === key && one.name === name);
  if (known === undefined || expiresAt < now || expiresAt > now + 2 * GOOD_MS) return claimed;
  const text = signedText({ run, requestId: row.id, request, name, expiresAt });
  if (!verify(null, text, publicKeyOf(key), Buffer.from(signature, "hex"))) return claimed;
  return { kind: "person", name, proof: known.proof };
}
