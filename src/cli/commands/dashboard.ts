import { request } from "node:http";
import type { Command } from "commander";
import { plainText } from "../../files/plain-file.ts";
import { Fault } from "../../model/fault.ts";
import { type Bind, EXIT, examples } from "../shell/define-command.ts";
import { openBrowser, type Login } from "../print/print-login.ts";
import type { Invocation } from "../shell/invocation.ts";
import type { ApiFile } from "../../model/api-file.ts";
import { personOnly } from "../ask/who-asks.ts";

export function addDashboard(parent: Command, bind: Bind): void {
  parent
    .command("dashboard")
    .summary("open the store in a browser")
    .description(
      "Prints a login URL, which is good once and for one minute, and opens it in a browser where there is one. Starts a server in the background if none lives.",
    )
    .option("--no-open", "only print the URL")
    .option("--listen <address>", "HOST:PORT, where a server has to be started")
    .addHelpText(
      "after",
      examples(["dashboard", "opens a browser"], ["dashboard --no-open --json", "the URL, for programs"]),
    )
    .action(bind(dashboard));
}

function dashboard(
  call: Invocation,
  { open = true, listen }: { readonly open?: boolean; readonly listen?: string },
): Promise<number> {
  return call.withSystem("create", async (system) => {
    await personOnly(call, system, "begin a session of the dashboard");
    const { ensureServer } = await import("../server/ensure-server.ts");
    const api = await ensureServer(call, system, listen === undefined ? {} : { listen });
    // A token that was removed is made again; the server reads the file at each request.
    await ensureOwnerToken(call);
    const { url, loginUrl } = await newLogin(call, api);
    call.output.document({ url, loginUrl });
    call.output.line(loginUrl);
    call.output.note("the URL is good once, for one minute");
    if (open && !call.output.json) openBrowser(call.surroundings, loginUrl);
    return EXIT.done;
  });
}

async function ensureOwnerToken(call: Invocation): Promise<void> {
  const { api: face } = await import("../../main.ts");
  face.tokenStore(call.stateFolder, "", Date.now).ensureOwner();
}

const BYTES_MAX = 4_096;
const WAIT_MS = 10_000;

/** What a problem document says to people. */
function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: string };
    return detail ?? text.slice(0, BYTES_MAX);
  } catch {
    return text.slice(0, BYTES_MAX);
  }
}

/** Over the Unix socket, which answers no matter by which address the server is reached. */
function newLogin(call: Invocation, { socket, tokenFile }: ApiFile): Promise<Login> {
  const token = plainText(tokenFile, { bytesMax: BYTES_MAX })?.trim() ?? "";
  return new Promise((resolve, reject) => {
    const fail = (why: string): void =>
      reject(
        new Fault(
          "supervisor_failed",
          `the server of this store gave no login URL: ${why}; end it, and try again: ${call.command("dashboard")}`,
        ),
      );
    const asked = request(
      {
        socketPath: socket,
        method: "POST",
        path: "/api/v1/logins",
        timeout: WAIT_MS,
        headers: { host: "localhost", authorization: `Bearer ${token}`, "content-type": "application/json" },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        response.on("end", () => {
          if (response.statusCode === 200) resolve(JSON.parse(text) as Login);
          else fail(detailOf(text));
        });
      },
    );
    asked.on("timeout", () => asked.destroy(new Error("no answer in time")));
    asked.on("error", (error) => fail(error.message));
    asked.end("{}");
  });
}
