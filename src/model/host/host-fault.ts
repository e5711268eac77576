/**
 * What a host may run out of. No agent and no step is to blame for it: it is never charged, what it kept from being
 * done is tried again, and it is called by its name.
 */
export const HOST_FAULTS = ["descriptors", "processes", "memory", "disk"] as const;
export type HostFault = (typeof HOST_FAULTS)[number];

/** An effect that the host keeps from being done, since when, and of which attempt. */
export interface DelayedEffect {
  readonly fault: HostFault;
  readonly text: string;
  readonly since: number;
  readonly kind: string;
  readonly attempt: string | null;
}

/** With less room than this nothing can be counted on to be written. */
export const FULL_BYTES = 1_048_576;

export interface FullDisk {
  readonly folder: string;
  /** What is left on it. */
  readonly bytes: number;
}

/** `the disk of /var/lib/holdfast is full: 0 bytes are left`. */
export const fullDiskText = ({ folder, bytes }: FullDisk): string =>
  `the disk of ${folder} is full: ${String(bytes)} bytes are left`;

/** What a run's state holds of its host, and of the runs that it comes from. */
export interface HostState {
  /** The run at the root of those whose agents started it; none where nobody's agent did. */
  readonly family?: string;
  /** Effects that the host keeps from being done, by key; none where there are none. */
  delayed?: Record<string, DelayedEffect>;
}

/** What is missing, and what helps; for people. */
export const HOST_FAULT_TEXT: Readonly<Record<HostFault, { readonly what: string; readonly help: string }>> =
  {
    descriptors: {
      what: "the host has no file descriptors left",
      help: "end what holds many open files, or raise the limit (`ulimit -n`; LimitNOFILE= of a service)",
    },
    processes: {
      what: "the host refuses to start another process",
      help: "end processes that are not needed, or raise the limit (`ulimit -u`; TasksMax= of a service)",
    },
    memory: {
      what: "the host has no memory left to start a process",
      help: "end what uses much memory, or add swap",
    },
    disk: {
      what: "the disk is full, or its quota is used up",
      help: "free some space on it (`df -h` shows how much is left)",
    },
  };

/** As Node names what the operating system refused, and as git and shells do. */
const WORDS: readonly (readonly [RegExp, HostFault])[] = [
  [/\b(?:EMFILE|ENFILE)\b|\btoo many open files\b/i, "descriptors"],
  [/\b(?:ENOSPC|EDQUOT)\b|\bno space left on device\b|\bdisk quota exceeded\b/i, "disk"],
  [/\b(?:spawn|fork)\b[^\n]{0,200}\bEAGAIN\b|\bcannot fork\b|\bunable to fork\b/i, "processes"],
  [/\bENOMEM\b|\bcannot allocate memory\b/i, "memory"],
];

const CHARS_MAX = 4_000;

/** The fault of the host that an error of ours speaks of; null for any other. */
export const hostFaultIn = (text: string): HostFault | null =>
  WORDS.find(([words]) => words.test(text.slice(0, CHARS_MAX)))?.[1] ?? null;
