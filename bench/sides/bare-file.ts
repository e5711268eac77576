import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import type { Side } from "../harness/rounds.ts";
import { encodeEvent } from "../../src/journal/chain.ts";
import { heardEvent } from "./sample-events.ts";

/** The physical limit: the event's text at the end of a file, and the disk asked to keep it. */
export function bareFile(file: string): Side {
  const fd = openSync(file, "a");
  let number = 0;
  return {
    more(times) {
      for (let done = 0; done < times; done += 1) {
        writeSync(fd, JSON.stringify([encodeEvent(heardEvent((number += 1)))]));
        fdatasyncSync(fd);
      }
    },
    close: () => closeSync(fd),
  };
}
