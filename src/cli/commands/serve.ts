import type { Command } from "commander";
import { examples, type Bind } from "../shell/define-command.ts";
import type { Invocation } from "../shell/invocation.ts";
import type { ServeOptions } from "../server/be-server.ts";

const HIDDEN = [
  ["--beside", "end with the supervisor that has started it"],
  ["--in-background", "end by itself when nobody needs it"],
] as const;

/** The options of everything that serves the API. */
export function addListening(command: Command): Command {
  return command
    .option(
      "--listen <address>",
      "HOST:PORT; port 0 is any free one (default: 127.0.0.1:4377, or any free port)",
    )
    .option("--tls-cert <file>", "a certificate (PEM), to be reached from other machines")
    .option("--tls-key <file>", "its key (PEM)")
    .option("--behind-proxy <url>", "behind a proxy that speaks TLS; the https address that browsers use");
}

export function addServe(parent: Command, bind: Bind): void {
  const command = addListening(
    parent
      .command("serve")
      .summary("serve the API of a store, without supervising anything")
      .description(
        "Serves the API of a store: reading, and requests to runs. It works no run. On addresses that other machines can reach it needs TLS, or a proxy that has it, and a named token.",
      ),
  ).action(bind(serve));
  for (const [option, what] of HIDDEN) command.addOption(command.createOption(option, what).hideHelp());
  command.addHelpText(
    "after",
    examples(
      ["serve", "on this machine alone; Ctrl-C ends it"],
      ["serve --listen 127.0.0.1:0 --json", "on any free port; the first line says where"],
      ["serve --listen 0.0.0.0:4377 --tls-cert cert.pem --tls-key key.pem", "for others, who need a token"],
    ),
  );
}

const serve = async (call: Invocation, options: ServeOptions): Promise<number> =>
  (await import("../server/be-server.ts")).beServer(call, options);
