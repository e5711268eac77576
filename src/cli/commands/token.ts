import { userInfo } from "node:os";
import { Option, type Command } from "commander";
import { examples, type Bind } from "../shell/define-command.ts";
import type { api } from "../../main.ts";
import { durationMs } from "../../model/text/duration.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { Invocation } from "../shell/invocation.ts";
import { printNewToken, printRevoked, printTokens } from "../print/print-tokens.ts";
import { personAsks } from "../ask/who-asks.ts";

interface CreateOptions {
  readonly role: "viewer" | "operator" | "admin";
  readonly expires?: string;
}

/** The commands by which the owner of a machine lets others use its API. */
export function addToken(parent: Command, bind: Bind): void {
  const token = parent
    .command("token")
    .summary("tokens for the API")
    .description(
      "Keeps the tokens by which others use the API. Only digests are stored; a token that is revoked or has expired is worthless at once.",
    );
  token.addHelpText(
    "after",
    examples(
      ["token create anna --role operator --expires 30d", "prints a token, this once"],
      ["token list", "who has one, and until when"],
      ["token revoke anna", "it is worthless at once"],
    ),
  );
  addCreate(token, bind);
  addList(token, bind);
  addRevoke(token, bind);
}

function addCreate(token: Command, bind: Bind): void {
  token
    .command("create")
    .summary("make a token")
    .description(
      "Makes a token and prints it, this once. Its name stands in the journal beside what is asked with it.",
    )
    .argument("<NAME>", "whose it is, or what uses it")
    .addOption(
      new Option("--role <role>", "what it allows")
        .choices(["viewer", "operator", "admin"])
        .default("viewer"),
    )
    .option("--expires <time>", "how long it is good, such as 30d; without it, until it is revoked")
    .addHelpText(
      "after",
      examples(
        ["token create phone --role operator --expires 30d", "it may ask things of runs"],
        ["token create wall-display", "it may only look"],
      ),
    )
    .action(bind(createToken));
}

function addList(token: Command, bind: Bind): void {
  token
    .command("list")
    .summary("show who has a token")
    .description("Lists the named tokens with their roles and expiry, never the secrets.")
    .addHelpText(
      "after",
      examples(["token list", "names, roles and expiry"], ["token list --json", "for programs"]),
    )
    .action(bind(listTokens));
}

function addRevoke(token: Command, bind: Bind): void {
  token
    .command("revoke")
    .summary("make a token worthless")
    .description("Makes a token, and the sessions of browsers begun with it, worthless at once.")
    .argument("<NAME>", "its name or id, as `token list` shows it")
    .addHelpText(
      "after",
      examples(["token revoke phone", "by its name"], ["token revoke tok_0123456789ab", "by its id"]),
    )
    .action(bind(revokeToken));
}

type Tokens = ReturnType<typeof api.tokenStore>;

const tokensOf = async (call: Invocation): Promise<Tokens> =>
  (await import("../../main.ts")).api.tokenStore(call.stateFolder, userInfo().username, () => Date.now());

const shown = ({ id, name, role, createdAt, expiresAt }: ReturnType<Tokens["list"]>[number]) => ({
  id,
  name,
  role,
  createdAt: isoTime(createdAt),
  expiresAt: expiresAt === null ? null : isoTime(expiresAt),
});

async function createToken(
  call: Invocation,
  name: string,
  { role, expires }: CreateOptions,
): Promise<number> {
  await personAsks(call, "make tokens");
  const expiresAt = expires === undefined ? null : Date.now() + durationMs(expires);
  const { token, row } = (await tokensOf(call)).create({ name, role, expiresAt });
  return printNewToken(call.output, { ...shown(row), token });
}

async function listTokens(call: Invocation): Promise<number> {
  return printTokens(call.output, (await tokensOf(call)).list().map(shown));
}

async function revokeToken(call: Invocation, name: string): Promise<number> {
  await personAsks(call, "revoke tokens");
  return printRevoked(call.output, shown((await tokensOf(call)).revoke(name)));
}
