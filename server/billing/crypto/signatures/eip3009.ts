import { keccak_256 } from "@noble/hashes/sha3.js";
import { signerOfDigest } from "./eip191.ts";

/** A transfer of tokens that their holder signs and anybody may send to the chain (EIP-3009). Times are in seconds. */
export interface Authorization {
  from: string;
  to: string;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: string;
}

/** The contract of a token, which its signatures name (EIP-712). */
export interface TokenDomain {
  name: string;
  version: string;
  chainId: number;
  contract: string;
}

const hash = (bytes: Uint8Array) => keccak_256(bytes);
const hashText = (text: string) => hash(Buffer.from(text, "utf8"));
const word = (value: bigint | number) => Buffer.from(value.toString(16).padStart(64, "0"), "hex");
const wordOf = (hex: string) => Buffer.from(hex.slice(2).padStart(64, "0"), "hex");
const struct = (type: string, ...words: Uint8Array[]) => hash(Buffer.concat([hashText(type), ...words]));

const domainType = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
const transferType =
  "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)";

/** The address, in lower case, whose key signed this transfer. Undefined if the signature is malformed or has a high `s`. */
export function authorizerOf(token: TokenDomain, signed: Authorization, signature: string): string | undefined {
  const { name, version, chainId, contract } = token;
  const domain = struct(domainType, hashText(name), hashText(version), word(chainId), wordOf(contract));
  const { from, to, value, validAfter, validBefore, nonce } = signed;
  const numbers = [value, validAfter, validBefore].map(word);
  const transfer = struct(transferType, wordOf(from), wordOf(to), ...numbers, wordOf(nonce));
  return signerOfDigest(hash(Buffer.concat([Buffer.from([0x19, 0x01]), domain, transfer])), signature);
}
