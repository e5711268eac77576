import { sealOf } from "../../seal.ts";
import { SealedRows } from "../../sealed-rows.ts";

export const sealed = new SealedRows(sealOf);
