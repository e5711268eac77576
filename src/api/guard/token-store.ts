import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { statSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { plainText } from "../../files/plain-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { Fault } from "../../model/fault.ts";
import { ROLES, type Identity, type Role } from "./roles.ts";

/**
 * The tokens of one state folder.
 *
 * 1. Of named tokens only digests are kept; a token is shown once, when it is made. Tokens are 256 random bits, so that
 *    a plain digest of one shows nothing.
 * 2. The owner's token stands in a file of its own, which only the owner can read: who can read it could read the
 *    store.
 * 3. A token that was revoked or has expired is refused by the next request: the file is looked at each time.
 * 4. Comparing takes equally long whichever token is presented, and looks at all.
 */
export interface TokenStore {
  readonly ownerFile: string;
  /** Makes the owner's token where there is none. */
  ensureOwner(): void;
  /** Known to who can read the owner's token alone. */
  ownSecret(): string;
  identify(presented: string): Identity | null;
  /** Whether the token of that id is still good; `owner` always is. */
  isGood(id: string): boolean;
  list(): readonly TokenRow[];
  /** The row of a live or expired token, by its id or name. */
  find(id: string): TokenRow;
  create(order: TokenOrder): { readonly token: string; readonly row: TokenRow };
  revoke(id: string): TokenRow;
}

export interface TokenOrder {
  readonly name: string;
  readonly role: Role;
  /** Null: it does not expire. */
  readonly expiresAt: number | null;
  /** A token that may have been made before: then it is the one that there is. */
  readonly as?: { readonly id: string; readonly token: string };
}

const rowSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  createdAt: z.number(),
  expiresAt: z.number().nullable(),
});
export type TokenRow = z.infer<typeof rowSchema>;
const fileSchema = z.object({ version: z.literal(1), tokens: z.array(rowSchema).max(1_000) });

const FILE_BYTES_MAX = 1024 * 1024;
const TOKEN_BYTES = 32;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u;

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();
const newTokenId = (): string => `tok_${randomBytes(6).toString("hex")}`;
export const tokenOf = (secret: string): string => `hf_${secret}`;
const newToken = (): string => tokenOf(randomBytes(TOKEN_BYTES).toString("base64url"));

export const apiFolder = (stateFolder: string): string => path.join(stateFolder, "api");

export function tokenStore(stateFolder: string, owner: string, now: () => number): TokenStore {
  const folder = apiFolder(stateFolder);
  const ownerFile = path.join(folder, "token");
  const tokens = rereadFile(path.join(folder, "tokens.json"), readRows);
  // A file without a word is as good as none: nobody may be who has none.
  const ownerDigest = rereadFile(ownerFile, (text = "") =>
    text.trim() === "" ? null : digestOf(text.trim()),
  );
  const isLive = ({ expiresAt }: TokenRow): boolean => expiresAt === null || expiresAt > now();
  const find = (id: string): TokenRow => {
    const row = tokens().find((one) => one.id === id || one.name === id);
    if (row !== undefined) return row;
    throw new Fault(
      "not_found",
      `there is no token ${JSON.stringify(id)}; \`holdfast token list\` shows those there are`,
    );
  };
  const write = (rows: readonly TokenRow[]): void =>
    replaceFile(
      path.join(folder, "tokens.json"),
      `${JSON.stringify({ version: 1, tokens: rows }, null, 2)}\n`,
    );

  return {
    ownerFile,
    ensureOwner() {
      if (ownerDigest() === null) replaceFile(ownerFile, newToken());
    },
    ownSecret: () => plainText(ownerFile, { bytesMax: FILE_BYTES_MAX })?.trim() ?? "",
    identify: (presented) =>
      identified(presented, { rows: tokens().filter(isLive), own: ownerDigest(), owner }),
    isGood: (id) => id === "owner" || tokens().some((row) => row.id === id && isLive(row)),
    list: () => tokens(),
    find,
    create({ name, role, expiresAt, as = { id: newTokenId(), token: newToken() } }) {
      if (!NAME.test(name))
        throw new Fault(
          "usage",
          `the name ${JSON.stringify(name)} is not allowed; expected up to 64 letters, digits, spaces and . _ @ -`,
        );
      const { id, token } = as;
      const made = tokens().find((row) => row.id === id);
      if (made?.digest === digestOf(token).toString("hex")) return { token, row: made };
      if (tokens().some((row) => row.name === name && isLive(row)))
        throw new Fault(
          "refused",
          `there is a token named ${name} already; revoke it first: \`holdfast token revoke ${name}\``,
        );
      const row = { id, name, role, digest: digestOf(token).toString("hex"), createdAt: now(), expiresAt };
      write([...tokens().filter(isLive), row]);
      return { token, row };
    },
    revoke(id) {
      const row = find(id);
      write(tokens().filter((one) => one !== row));
      return row;
    },
  };
}

interface KnownTokens {
  readonly rows: readonly TokenRow[];
  readonly own: Buffer | null;
  readonly owner: string;
}

function identified(presented: string, { rows, own, owner }: KnownTokens): Identity | null {
  const digest = digestOf(presented);
  let found: Identity | null = null;
  for (const row of rows)
    if (timingSafeEqual(digest, Buffer.from(row.digest, "hex")))
      found = { token: row.id, name: row.name, role: row.role, how: "token" };
  if (own !== null && timingSafeEqual(digest, own))
    found = { token: "owner", name: owner, role: "admin", how: "token" };
  return found;
}

function readRows(text: string | undefined): readonly TokenRow[] {
  if (text === undefined) return [];
  try {
    return fileSchema.parse(JSON.parse(text)).tokens;
  } catch (cause) {
    throw new Fault(
      "config_invalid",
      "the file of API tokens cannot be read; revoke all by removing api/tokens.json in the state folder",
      { cause },
    );
  }
}

/** A small file that is read again whenever it is another one. */
function rereadFile<T>(file: string, read: (text: string | undefined) => T): () => T {
  let last: { readonly mark: string; readonly value: T } | null = null;
  return () => {
    const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
    const mark =
      stats === undefined ? "none" : `${String(stats.ino)}:${String(stats.mtimeNs)}:${String(stats.size)}`;
    if (last?.mark !== mark) last = { mark, value: read(plainText(file, { bytesMax: FILE_BYTES_MAX })) };
    return last.value;
  };
}
