import path from "node:path";
import type { ReadableStream } from "node:stream/web";
import { escapeInJson } from "../../model/text/printable.ts";
import { EXIT } from "../shell/define-command.ts";
import { openBrowser, type Login } from "../print/print-login.ts";
import {
  printNewToken,
  printRevoked,
  printTokens,
  type NewToken,
  type ShownToken,
} from "../print/print-tokens.ts";
import type { Called } from "./called.ts";
import type { Later, Remote } from "./remote.ts";

export function createRemoteToken(
  { args: [name], options: { role = "viewer", expires } }: Called,
  remote: Remote,
): Later {
  const body = { name, role, expiresIn: expires };
  return async () => printNewToken(remote.output, await remote.ask<NewToken>({ route: "createToken", body }));
}

export function listRemoteTokens(_: Called, remote: Remote): Later {
  return async () => {
    const { tokens } = await remote.ask<{ tokens: ShownToken[] }>({ route: "listTokens" });
    return printTokens(remote.output, tokens);
  };
}

export function revokeRemoteToken({ args: [token = ""] }: Called, remote: Remote): Later {
  return async () => {
    const plan = { route: "revokeToken", params: { token }, body: {} } as const;
    const { revoked } = await remote.ask<{ revoked: ShownToken }>(plan);
    return printRevoked(remote.output, revoked);
  };
}

/** A login URL of the server; the browser is opened here. */
export function loginRemotely({ options: { open } }: Called, remote: Remote): Later {
  return async () => {
    const { output } = remote;
    const { url, loginUrl } = await remote.ask<Login>({ route: "createLogin", body: {} });
    output.document({ url, loginUrl });
    output.line(loginUrl);
    output.note("the URL is good once, for one minute");
    if (open !== false && !output.json) openBrowser(remote.surroundings, loginUrl);
    return EXIT.done;
  };
}

/** Line by line, as it comes. */
export function exportRemotely({ args: [run = ""], options: { out } }: Called, remote: Remote): Later {
  return async () => {
    const { output } = remote;
    const response = await remote.send({ route: "exportRun", params: { run } }, "application/jsonl");
    const lines = textLines(response.body as ReadableStream<Uint8Array> | null);
    if (out === undefined) {
      for await (const line of lines) output.product(output.live ? escapeInJson(line) : line);
      return EXIT.done;
    }
    const { exportedRuns } = await import("../../main.ts");
    const file = path.resolve(remote.surroundings.cwd, out);
    let [first, last] = ["", ""];
    await exportedRuns.write(
      file,
      (async function* () {
        for await (const line of lines) {
          if (first === "") first = line;
          last = line;
          yield line;
        }
      })(),
    );
    if (last === "") throw new Error("nothing was exported");
    const header = JSON.parse(first) as { run: string; head: { seq: number; hash: string } };
    const { head } = header;
    output.document({ run: header.run, file, events: head.seq, head });
    output.line(`${header.run}: ${String(head.seq)} events are in ${file}`);
    output.line(`head: ${head.hash}`);
    return EXIT.done;
  };
}

async function* textLines(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of body ?? []) {
    const parts = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) yield `${line}\n`;
  }
  if (rest !== "") yield rest;
}
