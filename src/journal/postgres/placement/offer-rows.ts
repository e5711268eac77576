import type { Offers } from "../../host-records.ts";
import type { Writer } from "../append/writer.ts";
import type { Readers } from "../link/readers.ts";
import { text } from "../../row-values.ts";
import { statement } from "../statements.ts";

export function offerRows(readers: Readers, writer: Writer): Offers {
  return {
    asked: async () => (await readers.read(statement("askedOffers"))).map((row) => text(row, "asked")),
    async pull({ asked, max, forMs, except }) {
      const { rows } = await writer.run(() => statement("pullOffers", asked, max, forMs, except));
      return rows.map((row) => text(row, "run"));
    },
    async giveBack(runs) {
      await writer.run(() => statement("giveBackOffers", runs));
    },
  };
}
