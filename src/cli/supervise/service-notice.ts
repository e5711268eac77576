import { spawn } from "node:child_process";

/** What a service manager receives of its service. */
export interface ServiceNotice {
  ready(status: string): void;
  /** Called at every sign of progress; reports it as often as the manager wants it. */
  progress(): void;
  stopping(): Promise<void>;
}

/** Asked for it, a manager waits no longer than this for the sender: a stuck one must not hold the supervisor. */
const SEND_MS_MAX = 5_000;

/**
 * Notifies systemd how the service fares, over its socket. Node has no datagram sockets of the file system, so
 * `systemd-notify` sends, which is wherever systemd is; the unit must therefore admit its children
 * (`NotifyAccess=all`).
 *
 * The variables are taken out of the environment: an agent that inherited them could speak for the supervisor.
 * Answers null where nobody listens.
 */
export function takeServiceNotice(
  env: Record<string, string | undefined>,
  note: (text: string) => void,
): ServiceNotice | null {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: watchdogUsec, WATCHDOG_PID: watchdogPid } = env;
  for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) Reflect.deleteProperty(env, name);
  if (socket === undefined || socket === "") return null;
  const isForUs = watchdogPid === undefined || watchdogPid === String(process.pid);
  const everyMs = isForUs ? Number(watchdogUsec ?? 0) / 1_000 / 3 : 0;
  let notifiedAt = -Infinity;
  let isNotifying = false;
  const send = (...words: string[]): Promise<void> =>
    new Promise((resolve) => {
      const sender = spawn("systemd-notify", words, {
        env: { ...env, NOTIFY_SOCKET: socket },
        stdio: "ignore",
        timeout: SEND_MS_MAX,
      });
      sender.on("error", (error) => {
        note(`the service manager refused ${words.join(" ")}: ${error.message}`);
        resolve();
      });
      sender.on("exit", () => resolve());
    });
  return {
    ready: (status) => void send("--ready", `--status=${status}`),
    progress() {
      const now = performance.now();
      if (!(everyMs > 0) || isNotifying || now - notifiedAt < everyMs) return;
      notifiedAt = now;
      isNotifying = true;
      void send("WATCHDOG=1").then(() => (isNotifying = false));
    },
    stopping: () => send("STOPPING=1"),
  };
}
