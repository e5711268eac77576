import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from "node:fs";
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

const ROOM_BYTES = 4 * 1_024 * 1_024;

/** The same over what is there already: the file never becomes longer. */
export function fileWithRoom(file: string): Side {
  const fd = openSync(file, "w");
  writeSync(fd, Buffer.alloc(ROOM_BYTES));
  fsyncSync(fd);
  let number = 0;
  let at = 0;
  return {
    more(times) {
      for (let done = 0; done < times; done += 1) {
        const text = JSON.stringify([encodeEvent(heardEvent((number += 1)))]);
        if (at + text.length > ROOM_BYTES) at = 0;
        at += writeSync(fd, text, at);
        fdatasyncSync(fd);
      }
    },
    close: () => closeSync(fd),
  };
}
