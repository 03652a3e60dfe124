import * as z from "zod";
import type { EvmNetwork } from "../../../config/schema.ts";
import type { ChainName } from "../rules.ts";

export const hex = z.string().regex(/^0x[0-9a-fA-F]*$/);
export const quantity = hex.transform((text) => BigInt(text));

/** The topic of `Transfer(address,address,uint256)`. NFTs use the same topic, but their logs have a fourth one. */
export const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** The topic of `AuthorizationUsed(address,bytes32)`. */
export const authorizationTopic = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";

export interface EvmOptions extends EvmNetwork {
  name: ChainName;
  rpcUrl: string;
  receiver: string;
  timeoutMs: number;
}
