import { hostname } from "node:os";
import { createHash } from "node:crypto";
import { durationMs } from "../../model/text/duration.ts";
import { Fault } from "../../model/fault.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { Role } from "../guard/roles.ts";
import { tokenOf, type TokenRow } from "../guard/token-store.ts";
import type { HandlerAnswer } from "./define-route.ts";
import type { HandlerContext } from "./handler-context.ts";

const document = (value: unknown): HandlerAnswer => ({ kind: "document", document: value });

export const shownToken = ({ id, name, role, createdAt, expiresAt }: TokenRow) => ({
  id,
  name,
  role,
  createdAt: isoTime(createdAt),
  expiresAt: expiresAt === null ? null : isoTime(expiresAt),
});

export const whoAmI = ({ identity, asker: { by, via }, operations }: HandlerContext): HandlerAnswer =>
  document({
    name: identity?.name ?? "",
    role: identity?.role ?? "viewer",
    how: identity?.how ?? "token",
    by,
    via,
    store: operations.store,
    host: hostname(),
  });

export function newLogin({ identity, sessions, url, asker }: HandlerContext): HandlerAnswer {
  personOnly(asker, "begin a session");
  if (identity?.how !== "token")
    throw new Fault(
      "refused",
      "a session cannot begin another one; expected a request with a token: `holdfast dashboard`",
    );
  return document({ url, loginUrl: `${url}/login/${sessions.newCode(identity)}` });
}

export const listTokens = ({ tokens }: HandlerContext): HandlerAnswer =>
  document({ tokens: tokens.list().map(shownToken) });

interface NewToken {
  readonly name: string;
  readonly role: Role;
  readonly expiresIn?: string | undefined;
}

/**
 * On disk: the row with the digest, under an id that follows from the key, as the secret does. Asked again the row is
 * found, and the same secret made again; it is kept nowhere.
 */
export function createToken(
  { tokens, now, asker, once }: HandlerContext,
  { name, role, expiresIn }: NewToken,
): HandlerAnswer {
  personOnly(asker, "make tokens");
  const expiresAt = expiresIn === undefined ? null : now() + durationMs(expiresIn);
  const secret = once.secret("token");
  const as = secret === null ? {} : { as: { id: tokenIdOf(secret), token: tokenOf(secret) } };
  const { token, row } = tokens.create({ name, role, expiresAt, ...as });
  return document({ ...shownToken(row), token });
}

/** Only the token that the name has meant at first: another one may have been made under it since. */
export async function revokeToken(
  { tokens, asker, once }: HandlerContext,
  named: string,
): Promise<HandlerAnswer> {
  personOnly(asker, "revoke tokens");
  const revoked = await once.plan("revoked", () => shownToken(tokens.find(named)));
  if (tokens.list().some(({ id }) => id === revoked.id)) tokens.revoke(revoked.id);
  return document({ revoked });
}

const tokenIdOf = (secret: string): string =>
  `tok_${createHash("sha256").update(`id of ${secret}`).digest("hex").slice(0, 12)}`;

function personOnly({ agent }: HandlerContext["asker"], what: string): void {
  if (agent !== null)
    throw new Fault("refused", `${agent.attempt} is an agent and may not ${what}: only people do`);
}
