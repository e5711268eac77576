import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { plainText, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import type { HostConfig } from "../../model/settings/host-config.ts";
import { commandText } from "../../model/text/command-text.ts";
import { errorText, Fault } from "../../model/fault.ts";
import { logFile } from "./detached-supervisor.ts";
import { storeMark } from "../shell/store-mark.ts";
import { EXIT } from "../shell/define-command.ts";
import { ownCommand, type Invocation } from "../shell/invocation.ts";
import { makeFolder } from "../shell/make-folder.ts";
import {
  launchdPlist,
  systemdUnits,
  WRITTEN_BY,
  type ServiceFile,
  type ServiceOrder,
} from "./service-units.ts";
import { SERVICE_OPTION } from "./sibling-processes.ts";

/** What is to be written, and what is to be run then; the same for showing as for doing. */
export interface ServicePlan {
  readonly folder: string;
  readonly files: readonly ServiceFile[];
  readonly enable: readonly (readonly string[])[];
  readonly disable: readonly (readonly string[])[];
  readonly hints: readonly string[];
}

/** Variables that a supervisor finds its store and its agents by. */
const KEPT = ["PATH", "HOLDFAST_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "LANG"];

export function planService(call: Invocation, config: HostConfig, platform: NodeJS.Platform): ServicePlan {
  const order = serviceOrder(call, config);
  if (platform === "linux") return systemdPlan(call, order);
  if (platform === "darwin") return launchdPlan(call, order);
  throw new Fault(
    "usage",
    `up --install knows systemd (Linux) and launchd (macOS), and this is ${platform}; ` +
      `have ${commandText(["up"], null)} started by what starts services here`,
  );
}

function serviceOrder(call: Invocation, { watchdog }: HostConfig): ServiceOrder {
  const command = ownCommand();
  if (command === undefined)
    throw new Fault("broken_promise", "the command line does not know its own program");
  const { env, cwd } = call.surroundings;
  const script = command.at(-1) ?? "";
  // A state folder is named relative to where the command was called, which a service is not.
  const at = (name: string, value: string): string =>
    name === "HOLDFAST_HOME" ? path.resolve(cwd, value) : value;
  const kept = KEPT.flatMap((name) => {
    const value = env[name] ?? "";
    return value === "" ? [] : [[name, at(name, value)] as const];
  });
  const mark = storeMark(call);
  return {
    name: `holdfast${mark}`,
    command: [...command.slice(0, -1), path.resolve(cwd, script), "up", SERVICE_OPTION],
    cwd,
    env: Object.fromEntries(mark === "" ? kept : [...kept, ["HOLDFAST_STORE", call.store.url]]),
    envFile: path.join(call.stateFolder, "service.env"),
    log: logFile(call),
    silentMs: watchdog.silentMs,
    graceMs: watchdog.graceMs,
    checkMs: watchdog.checkMs,
  };
}

function systemdPlan({ surroundings: { env, home } }: Invocation, order: ServiceOrder): ServicePlan {
  const xdg = env["XDG_CONFIG_HOME"];
  const base = xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(home, ".config");
  const units = [`${order.name}.service`, `${order.name}-check.timer`];
  const systemctl = (...words: string[]): string[] => ["systemctl", "--user", ...words];
  return {
    folder: path.join(base, "systemd", "user"),
    files: systemdUnits(order),
    enable: [systemctl("daemon-reload"), systemctl("enable", "--now", ...units)],
    disable: [systemctl("disable", "--now", ...[...units].reverse())],
    hints: [
      "it runs while you are logged in; to have it run always: loginctl enable-linger",
      `its words: journalctl --user -u ${order.name}; variables for agents, such as keys, go into ${order.envFile}`,
    ],
  };
}

function launchdPlan({ surroundings: { home } }: Invocation, order: ServiceOrder): ServicePlan {
  const folder = path.join(home, "Library", "LaunchAgents");
  const plist = launchdPlist(order);
  const file = path.join(folder, plist.name);
  return {
    folder,
    files: [plist],
    enable: [["launchctl", "load", "-w", file]],
    disable: [["launchctl", "unload", "-w", file]],
    hints: [`its words are in ${order.log}`],
  };
}

export function showService(call: Invocation, plan: ServicePlan): number {
  call.output.document({ ...shown(plan), done: false });
  for (const { name, text } of plan.files) call.output.line(`# ${path.join(plan.folder, name)}\n${text}`);
  for (const words of plan.enable) call.output.line(`$ ${words.join(" ")}`);
  return EXIT.done;
}

export function installService(call: Invocation, plan: ServicePlan): number {
  for (const { name } of plan.files) refuseForeign(path.join(plan.folder, name));
  makeFolder(call.stateFolder);
  mkdirSync(plan.folder, { recursive: true });
  for (const { name, text } of plan.files) {
    const file = path.join(plan.folder, name);
    // Readable by their owner alone: the address of a store may hold a password.
    writeFileSync(`${file}.partial`, text, { mode: 0o600 });
    renameSync(`${file}.partial`, file);
    call.output.line(`wrote ${file}`);
  }
  const failed = plan.enable.map(run).find((fault) => fault !== null);
  const remedy = `then run: ${plan.enable.map((words) => words.join(" ")).join(" && ")}`;
  if (failed !== undefined)
    throw new Fault("supervisor_failed", `the files are written, but ${failed}; mend it, ${remedy}`, {
      details: shown(plan),
    });
  call.output.document({ ...shown(plan), done: true });
  for (const hint of plan.hints) call.output.line(hint);
  call.output.line(`remove it with ${call.command("up", "--uninstall")}`);
  return EXIT.done;
}

/** Removes what an install wrote, and nothing else; a service manager that is not there has nothing to disable. */
export function uninstallService(call: Invocation, plan: ServicePlan): number {
  const there = plan.files.map(({ name }) => path.join(plan.folder, name)).filter((file) => existsSync(file));
  for (const file of there) refuseForeign(file);
  const troubles = there.length === 0 ? [] : plan.disable.map(run).filter((fault) => fault !== null);
  for (const trouble of troubles) call.output.note(trouble);
  for (const file of there) {
    rmSync(file);
    call.output.line(`removed ${file}`);
  }
  if (there.length === 0) call.output.line("nothing was installed");
  else run(plan.enable[0] ?? []);
  call.output.document({ ...shown(plan), removed: there, done: true });
  return EXIT.done;
}

const shown = ({ folder, files, enable }: ServicePlan) => ({
  files: files.map(({ name, text }) => ({ file: path.join(folder, name), text })),
  commands: enable,
});

function refuseForeign(file: string): void {
  const text = plainText(file, { bytesMax: RECORD_BYTES_MAX, links: "follow" });
  if (text === undefined || text.includes(WRITTEN_BY)) return;
  throw new Fault("refused", `${file} is there and was not written by Holdfast; move it away first`);
}

/** What went wrong; null for nothing. */
function run(words: readonly string[]): string | null {
  const [command = "", ...rest] = words;
  const { status, error, stderr } = spawnSync(command, rest, { encoding: "utf8", timeout: 60_000 });
  if (error !== undefined) return `\`${words.join(" ")}\` cannot be run: ${errorText(error)}`;
  const text = stderr.trim();
  return status === 0 ? null : `\`${words.join(" ")}\` failed${text === "" ? "" : `: ${text}`}`;
}
