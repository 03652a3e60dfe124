import { generateKeyPairSync, sign } from "node:crypto";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";

const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

export function base58(bytes: Uint8Array): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (; value > 0n; value /= 58n) text = digits[Number(value % 58n)] + text;
  return "1".repeat(bytes.findIndex((byte) => byte !== 0)) + text;
}

/** A wallet of Ethereum's kind that signs messages as `personal_sign` does; each number has its own key. */
export function evmWallet(number = 1) {
  const key = Buffer.alloc(32, number);
  const point = secp256k1.getPublicKey(key, false);
  const address = `0x${Buffer.from(keccak_256(point.subarray(1)).subarray(-20)).toString("hex")}`;
  return {
    address,
    sign(message: string, { highS = false, v = 27 } = {}): string {
      const bytes = Buffer.from(message, "utf8");
      const digest = keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]));
      const signed = secp256k1.sign(digest, key, { prehash: false, format: "recovered" });
      const [recovery, r, s] = [signed[0]!, signed.subarray(1, 33), signed.subarray(33)];
      const order = secp256k1.Point.CURVE().n;
      const other = (order - BigInt(`0x${Buffer.from(s).toString("hex")}`)).toString(16).padStart(64, "0");
      const last = v + (highS ? 1 - recovery : recovery);
      return `0x${Buffer.from(r).toString("hex")}${highS ? other : Buffer.from(s).toString("hex")}${last.toString(16).padStart(2, "0")}`;
    },
  };
}

/** A wallet of Solana that signs the bytes of a message. */
export function solanaWallet() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const address = base58(Buffer.from(publicKey.export({ format: "jwk" }).x!, "base64url"));
  return { address, signBytes: (bytes: Uint8Array) => sign(null, bytes, privateKey) };
}
