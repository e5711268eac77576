import { spawn } from "node:child_process";
import { once } from "node:events";
import { Fault } from "../../model/fault.ts";
import { commandText } from "../../model/text/command-text.ts";
import { openBrowser, type Login } from "../print/print-login.ts";
import type { Invocation } from "../shell/invocation.ts";
import type { DemoMaterial } from "./demo-material.ts";

/**
 * Starts the server of the demo's store, prints where a browser sees the run, and opens one where there is one. The
 * server stays for ten minutes after somebody last looked. The story goes on without it: what fails is only reported.
 */
export async function showInBrowser(
  call: Invocation,
  { store, repository }: DemoMaterial,
  run: string,
): Promise<void> {
  const { output, surroundings } = call;
  try {
    const { loginUrl } = await newLogin(store, repository);
    const address = `${loginUrl}?to=${encodeURIComponent(`/runs/${run}/timeline`)}`;
    output.line("");
    output.line(`── watch it in a browser (good once, for one minute): ${address}`);
    output.line("");
    if (!output.json) openBrowser(surroundings, address);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    output.note(`the dashboard could not be opened: ${why}; try \`${commandText(["dashboard"], store)}\``);
  }
}

/** As the command prints it. */
async function newLogin(store: string, cwd: string): Promise<Login> {
  const [, script] = process.argv;
  if (script === undefined)
    throw new Fault("broken_promise", "the command line does not know its own program");
  const words = ["dashboard", "--store", store, "--no-open", "--json"];
  const child = spawn(process.execPath, [...process.execArgv, script, ...words], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [said, complaint] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Fault("supervisor_failed", complaint.trim() || `it ended with ${String(code)}`);
  return JSON.parse(said) as Login;
}
