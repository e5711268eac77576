import { EXIT } from "../shell/define-command.ts";
import { localTimes } from "./local-times.ts";
import type { Output } from "./output.ts";
import { tableLines } from "./table.ts";

export interface ShownToken {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

export interface NewToken extends ShownToken {
  readonly token: string;
}

export function printNewToken(output: Output, made: NewToken): number {
  output.document(made);
  output.line(made.token);
  if (!output.json)
    output.note(
      `holdfast: the token of ${made.name} (${made.role}); it is shown this once, and stored nowhere`,
    );
  return EXIT.done;
}

export function printTokens(output: Output, tokens: readonly ShownToken[]): number {
  output.document({ tokens });
  if (tokens.length === 0) output.line("there are no named tokens");
  else
    for (const line of tableLines([
      ["NAME", "ROLE", "CREATED", "EXPIRES", "ID"],
      ...tokens.map(({ id, name, role, createdAt, expiresAt }) => [
        name,
        role,
        localTimes(createdAt),
        localTimes(expiryOf(expiresAt)),
        id,
      ]),
    ]))
      output.line(line);
  return EXIT.done;
}

function expiryOf(expiresAt: string | null): string {
  if (expiresAt === null) return "never";
  return Date.parse(expiresAt) <= Date.now() ? `${expiresAt} (expired)` : expiresAt;
}

export function printRevoked(output: Output, revoked: ShownToken): number {
  output.document({ revoked });
  output.line(`the token of ${revoked.name} is worthless`);
  return EXIT.done;
}
