/** What a service manager must know to run the supervisor of a host. */
export interface ServiceOrder {
  /** `holdfast`, and more where several stores have services of their own. */
  readonly name: string;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A file of the user's own with further variables, such as an agent's key; it need not be there. */
  readonly envFile: string;
  readonly log: string;
  readonly silentMs: number;
  readonly graceMs: number;
  readonly checkMs: number;
}

export interface ServiceFile {
  readonly name: string;
  readonly text: string;
}

/** By these words an uninstall knows what it may remove. Two hyphens would end a comment of XML. */
export const WRITTEN_BY = "Written by Holdfast when it was installed as a service";

const seconds = (ms: number): string => `${String(Math.max(1, Math.ceil(ms / 1_000)))}s`;

/** Within a unit, `%` begins a specifier; in a command, `$` begins a variable as well. */
const quoted = (word: string): string =>
  `"${word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%")}"`;
const commandWord = (word: string): string => quoted(word).replaceAll("$", "$$$$");

/**
 * Units for a user's systemd: the service, and a timer that looks every so often whether it was given up.
 *
 * Only the supervisor is ended with the service (`KillMode=process`): agents outlive it. An end that was asked for is no
 * failure, so that `down` holds; everything else is started again, at once by the service, later by the timer.
 */
export const systemdUnits = (order: ServiceOrder): readonly ServiceFile[] => [
  serviceUnit(order),
  ...checkUnits(order),
];

const lines = (...rows: string[]): string =>
  [`# ${WRITTEN_BY}; taken back with: holdfast up --uninstall`, ...rows, ""].join("\n");

function serviceUnit(order: ServiceOrder): ServiceFile {
  const { name, env, silentMs, graceMs } = order;
  const variables = Object.entries(env).map(([key, value]) => `Environment=${quoted(`${key}=${value}`)}`);
  return {
    name: `${name}.service`,
    text: lines(
      "[Unit]",
      "Description=Holdfast, the supervisor of long-running agents",
      "StartLimitIntervalSec=300",
      "StartLimitBurst=5",
      "",
      "[Service]",
      "Type=notify",
      "# The notices are sent by systemd-notify, a child of the supervisor.",
      "NotifyAccess=all",
      `ExecStart=${order.command.map(commandWord).join(" ")}`,
      `WorkingDirectory=-${order.cwd.replaceAll("%", "%%")}`,
      ...variables,
      `EnvironmentFile=-${order.envFile.replaceAll("%", "%%")}`,
      "Restart=on-failure",
      "RestartSec=2s",
      `WatchdogSec=${seconds(silentMs)}`,
      "WatchdogSignal=SIGTERM",
      `TimeoutAbortSec=${seconds(graceMs)}`,
      "TimeoutStartSec=120s",
      "TimeoutStopSec=60s",
      "# Agents go on when their supervisor ends.",
      "KillMode=process",
      "",
      "[Install]",
      "WantedBy=default.target",
    ),
  };
}

function checkUnits({ name, checkMs }: ServiceOrder): ServiceFile[] {
  const service = `${name}.service`;
  return [
    {
      name: `${name}-check.service`,
      text: lines(
        "[Unit]",
        "Description=Starts Holdfast again where systemd has given it up",
        "",
        "[Service]",
        "Type=oneshot",
        `ExecCondition=systemctl --user is-failed --quiet ${service}`,
        `ExecStart=systemctl --user reset-failed ${service}`,
        `ExecStart=systemctl --user start ${service}`,
      ),
    },
    {
      name: `${name}-check.timer`,
      text: lines(
        "[Unit]",
        "Description=Looks whether Holdfast was given up",
        "",
        "[Timer]",
        `OnActiveSec=${seconds(checkMs)}`,
        `OnUnitInactiveSec=${seconds(checkMs)}`,
        "",
        "[Install]",
        "WantedBy=timers.target",
      ),
    },
  ];
}

const xml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const entry = (key: string, value: string): string => `  <key>${xml(key)}</key>\n  ${value}`;
const string = (text: string): string => `<string>${xml(text)}</string>`;

/** An agent for launchd, which has no watchdog of its own: the one that is stuck is ended by the sibling. */
export function launchdPlist({ name, command, cwd, env, log }: ServiceOrder): ServiceFile {
  const label = `dev.holdfast.${name}`;
  const variables = Object.entries(env).map(([key, value]) => `<key>${xml(key)}</key>${string(value)}`);
  const rows = [
    entry("Label", string(label)),
    entry("ProgramArguments", `<array>${command.map(string).join("")}</array>`),
    entry("WorkingDirectory", string(cwd)),
    entry("EnvironmentVariables", `<dict>${variables.join("")}</dict>`),
    entry("RunAtLoad", "<true/>"),
    entry("KeepAlive", "<dict><key>SuccessfulExit</key><false/></dict>"),
    entry("ThrottleInterval", "<integer>10</integer>"),
    entry("AbandonProcessGroup", "<true/>"),
    entry("ExitTimeOut", "<integer>60</integer>"),
    entry("StandardOutPath", string(log)),
    entry("StandardErrorPath", string(log)),
  ];
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<!-- ${WRITTEN_BY} -->`,
    '<plist version="1.0">',
    "<dict>",
    ...rows,
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
  return { name: `${label}.plist`, text };
}
